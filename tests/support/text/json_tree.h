/*
 * Reads JSON as strictly as RFC 8259 lets one: UTF-8 only, no key twice in an object, nothing after
 * the value. Text that it accepts is therefore valid for every reader.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEXT_JSON_TREE_H
#define SLUICE_TESTS_SUPPORT_TEXT_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_tree {
    enum json_kind kind;
    char *text; /* a string's bytes or a number as written; a NUL follows */
    size_t size;
    struct json_tree **children; /* elements, or a key and its value in turn */
    size_t count;                /* of both */
};

/* Returns the tree, or NULL if the text is not valid JSON. */
struct json_tree *json_tree_read(const char *text, size_t size);
void json_tree_free(struct json_tree *tree);

/* The member's value, or NULL. */
const struct json_tree *json_tree_member(const struct json_tree *object, const char *key);

/* Whether both mean the same: members in any order, numbers by value. */
bool json_tree_equal(const struct json_tree *a, const struct json_tree *b);

/* Whether the tree is a string equal to `text`, which ends in a NUL. */
bool json_tree_is_string(const struct json_tree *tree, const char *text);

#endif
