/*
 * JSON (RFC 8259) as a tree that says where in the text each value stands. Numbers are kept as they
 * are written: which type they are to have, and how exact, is the reader's to know.
 *
 * Lifecycle: an arena that is all zero, json_text_parse, use the tree, free the arena. The text
 * lives as long. One thread.
 */
#ifndef SLUICE_PROTO_READING_JSON_TEXT_H
#define SLUICE_PROTO_READING_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/text/json_reader.h"
#include "proto/types/growing_arena.h"

struct json_node {
    enum json_type type;
    const char *text; /* of a string, its bytes in UTF-8, which may hold NULs; of a number, as it
                         is written; a NUL follows */
    size_t size;      /* of the text */
    const char *name; /* in an object, its name, as a text; else NULL */
    size_t name_size;
    struct json_node
        *first;             /* of an array's elements or an object's members; NULL: there is none */
    struct json_node *next; /* in the array or the object that it is in */
    const char *at;         /* where it begins in the text that was parsed */
};

/*
 * Parses a text. Returns its value, which the arena owns, or NULL with `error` filled: the line and
 * the column where the text is no JSON, and why (EXIT_CODE_USAGE); or no memory.
 */
struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error);

/* Where `at` stands in a text: the line, and the byte in it, each from 1. */
void json_text_place(const char *text, const char *at, unsigned *line, unsigned *column);

/* What a value is, with its article: for errors. */
const char *json_type_name(enum json_type type);

#endif
