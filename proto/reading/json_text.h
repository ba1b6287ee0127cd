/*
 * Parses JSON (RFC 8259) into a tree with the position of each value in the text. Numbers are kept
 * as text: users of the tree decide on their type and precision.
 *
 * Lifecycle: zero an arena, json_text_parse, use the tree, free the arena. The text must live as
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
    const char *text; /* a string's bytes in UTF-8, which may include NULs, or a number's text; both
                         end with a NUL */
    size_t size;      /* bytes in `text`, without the final NUL */
    const char *name; /* name of an object's member, in the form of `text`; otherwise NULL */
    size_t name_size;
    struct json_node *first; /* first element of an array or member of an object, or NULL */
    struct json_node *next;  /* next element or member of the same array or object */
    const char *at;          /* position of the value in the parsed text */
};

/*
 * Parses a text. Returns the root of the tree, which the arena owns, or NULL with `error` filled:
 * the line and column at which the text is not JSON, and the reason (EXIT_CODE_USAGE), or a lack of
 * memory.
 */
struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error);

/* Finds the line of `at` in a text, and the byte in that line; both count from 1. */
void json_text_place(const char *text, const char *at, unsigned *line, unsigned *column);

/* Returns the name of a type with its article, for errors ("a string"). */
const char *json_type_name(enum json_type type);

#endif
