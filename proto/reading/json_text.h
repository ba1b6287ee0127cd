/*
 * JSON (RFC 8259) as a tree with the position of each value in the text. Numbers are kept as text:
 * the reader decides on their type and precision.
 *
 * Lifecycle: zero an arena, json_text_parse, use the tree, free the arena. The text must live as
 * long. One thread.
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
    const char *text; /* of a string, its bytes in UTF-8, which may include NULs; of a number, its
                         text; a NUL follows */
    size_t size;      /* of the text */
    const char *name; /* in an object, its name, as a text; otherwise NULL */
    size_t name_size;
    struct json_node
        *first;             /* of an array's elements or an object's members; NULL: there is none */
    struct json_node *next; /* in its array or object */
    const char *at;         /* its position in the parsed text */
};

/*
 * Parses a text. Returns its value, which the arena owns, or NULL with `error` filled: the line and
 * column at which the text is not JSON, and the reason (EXIT_CODE_USAGE); or no memory.
 */
struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error);

/* The line of `at` in a text, and the byte in the line, each from 1. */
void json_text_place(const char *text, const char *at, unsigned *line, unsigned *column);

/* Names the kind of a value, with its article, for errors. */
const char *json_type_name(enum json_type type);

#endif
