/* Copies texts. Any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_COPY_H
#define SLUICE_COLLECTOR_TEXT_COPY_H

#include <stddef.h>

/*
 * Returns a copy of `length` bytes and a NUL, which the caller frees, or NULL if memory is short.
 */
char *text_copy(const char *text, size_t length);

/* Copies a text that ends with a NUL, as text_copy does. */
char *text_copy_all(const char *text);

/*
 * Moves one of several texts into common memory: copies *text with its NUL to `to` + `at`, and
 * points *text to the copy. Returns the size with the NUL. If `to` is NULL, only returns the size.
 */
size_t text_move(const char **text, char *to, size_t at);

#endif
