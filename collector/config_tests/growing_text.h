/*
 * A text that grows as it must. All zero at first. Where memory is short it fails for good, and
 * whoever reads it asks once, at the end. One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_GROWING_TEXT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_GROWING_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/compiler.h"

struct growing_text {
    char *data; /* NULL: empty */
    size_t used, capacity;
    bool failed; /* memory was short: something is missing */
};

/* Appends `size` bytes. */
void growing_text_put(struct growing_text *text, const void *bytes, size_t size);

/* Appends a text that printf formats. */
void growing_text_print(struct growing_text *text, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends the bytes in hexadecimal, and a line's end after each `width` of them and at the end. */
void growing_text_put_hex(struct growing_text *text, const void *bytes, size_t size, size_t width);

/* Frees it, and leaves it empty. */
void growing_text_free(struct growing_text *text);

#endif
