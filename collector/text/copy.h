/* Copies of texts. Any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_COPY_H
#define SLUICE_COLLECTOR_TEXT_COPY_H

#include <stddef.h>

/* Returns a copy of `length` bytes and a NUL, which the caller frees, or NULL if out of memory. */
char *text_copy(const char *text, size_t length);

/* Returns a copy of a text that ends with a NUL, as text_copy does. */
char *text_copy_all(const char *text);

/*
 * Moves one of several texts into a common piece of memory: copies *text with its NUL to `to` +
 * `at`, points *text to the copy, and returns the size with the NUL. If `to` is NULL, only returns
 * the size.
 */
size_t text_move(const char **text, char *to, size_t at);

#endif
