/* A text as bytes with a size, as in messages. */
#ifndef SLUICE_COLLECTOR_TEXT_TEXT_H
#define SLUICE_COLLECTOR_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes of any value with a size. The bytes belong to another object; no NUL follows them. */
struct text {
    const char *data;
    size_t size;
};

/* Returns true if both texts have the same bytes. The data of an empty text may be NULL. */
static inline bool text_equal(const struct text *a, const struct text *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Returns true if the `size` bytes equal the word. */
static inline bool text_is(const char *bytes, size_t size, const char *word)
{
    return size == strlen(word) && memcmp(bytes, word, size) == 0;
}

/* Returns true if the `size` bytes end with the word. */
static inline bool text_ends(const char *bytes, size_t size, const char *word)
{
    size_t length = strlen(word);
    return size >= length && memcmp(bytes + size - length, word, length) == 0;
}

/* Returns true if two strings are equal. NULL equals only NULL. */
static inline bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

#endif
