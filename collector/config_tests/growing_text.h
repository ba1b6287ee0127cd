/*
 * Appends to a text that grows as necessary. Begin with a zeroed struct. If memory is short it sets
 * `failed` and ignores further appends, so that the caller checks once at the end. One thread at a
 * time.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_GROWING_TEXT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_GROWING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/compiler.h"

struct growing_text {
    char *data; /* NULL: the text is empty */
    size_t used, capacity;
    bool failed; /* memory was short: the text is incomplete */
};

/* Appends `size` bytes. */
void growing_text_put(struct growing_text *text, const void *bytes, size_t size);

/* Appends a printf-formatted text. */
void growing_text_print(struct growing_text *text, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends the bytes in hexadecimal, with a newline after each `width` bytes and at the end. */
void growing_text_put_hex(struct growing_text *text, const void *bytes, size_t size, size_t width);

/* Frees the text and zeroes the struct. */
void growing_text_free(struct growing_text *text);

#endif
