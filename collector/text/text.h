/* Bytes with a size, the form of texts in messages. */
#ifndef SLUICE_COLLECTOR_TEXT_TEXT_H
#define SLUICE_COLLECTOR_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Does not own its bytes, which may have any value; no NUL at the end. */
struct text {
    const char *data;
    size_t size;
};

/* Whether both have the same bytes; an empty text may have no data. */
static inline bool text_equal(const struct text *a, const struct text *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Whether two strings are equal; NULL equals only NULL. */
static inline bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

#endif
