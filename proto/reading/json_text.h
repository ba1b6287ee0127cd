/*
 * Parses JSON (RFC 8259) into a tree with the position of each value in the text. Numbers are kept
 * as text: users of the tree choose their type and precision.
 *
 * Lifecycle: zero an arena, json_text_parse, use the tree, free the arena. The text must exist as
 * long as the tree. One thread.
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
    const char *text; /* of a string (UTF-8, maybe with NULs) or a number, with a final NUL */
    size_t size;      /* bytes of `text`, without the final NUL */
    const char *name; /* of an object's member, in the form of `text`; else NULL */
    size_t name_size;
    struct json_node *first; /* first element of an array, or member of an object; or NULL */
    struct json_node *next;  /* in the same array or object, or NULL */
    const char *at;          /* where the value begins in the parsed text */
};

/*
 * Parses a text. Returns the root of the tree, which the arena owns. Returns NULL with `error`
 * filled if memory is short, or if the text is not JSON: with the line, the column and the reason
 * (EXIT_CODE_USAGE).
 */
struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error);

/* Finds the line of `at` in a text, and the byte in that line, both from 1. */
void json_text_place(const char *text, const char *at, unsigned *line, unsigned *column);

/* Returns the name of a type for errors, with its article ("a string"). */
const char *json_type_name(enum json_type type);

#endif
