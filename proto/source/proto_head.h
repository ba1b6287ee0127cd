/*
 * Reads the imports and the edition of a .proto file. protoc reads everything else. Pure functions.
 */
#ifndef SLUICE_PROTO_SOURCE_PROTO_HEAD_H
#define SLUICE_PROTO_SOURCE_PROTO_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/types/growing_arena.h"

struct proto_import {
    const char *name; /* "google/type/date.proto" */
    struct proto_import *next;
};

struct proto_head {
    struct proto_import *imports; /* in their order */
    char edition[24];             /* "2023", cut if it is longer; empty: no edition */
    size_t edition_line;          /* from 1 */
};

/*
 * Reads the text of a file. Ignores errors in it, which protoc reports. The names are in `memory`.
 * Returns false if memory is short.
 */
bool proto_head_read(const char *text, size_t size, struct growing_arena *memory,
                     struct proto_head *head);

#endif
