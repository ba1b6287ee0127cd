/*
 * Reads JSON as strictly as RFC 8259 permits: only UTF-8, no duplicate keys in an object, no data
 * after the value. So every JSON reader accepts a text that this one accepts.
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
    char *text; /* a string's bytes, or a number as written; followed by a NUL */
    size_t size;
    struct json_tree **children; /* elements, or keys and values alternately */
    size_t count;                /* of both */
};

/* Returns the tree, or NULL if the text is not valid JSON. */
struct json_tree *json_tree_read(const char *text, size_t size);
void json_tree_free(struct json_tree *tree);

/* Returns the value of the member, or NULL. */
const struct json_tree *json_tree_member(const struct json_tree *object, const char *key);

/*
 * Returns true if both trees have the same value. The members of an object may be in any order, and
 * numbers are compared by value.
 */
bool json_tree_equal(const struct json_tree *a, const struct json_tree *b);

/* Returns true if the tree is a string that equals `text`. */
bool json_tree_is_string(const struct json_tree *tree, const char *text);

#endif
