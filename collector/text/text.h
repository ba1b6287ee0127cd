/* Bytes with a size, as messages hold their texts. */
#ifndef SLUICE_COLLECTOR_TEXT_TEXT_H
#define SLUICE_COLLECTOR_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes that belong to somebody else; no NUL at the end, any bytes inside. */
struct text {
    const char *data;
    size_t size;
};

/* Whether they are the same bytes; what is empty may have no data. */
static inline bool text_equal(const struct text *a, const struct text *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Whether two strings are the same; NULL, a string that is not there, equals NULL alone. */
static inline bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

#endif
