/* Copies of texts. Any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_COPY_H
#define SLUICE_COLLECTOR_TEXT_COPY_H

#include <stddef.h>

/* A copy of `length` bytes and a NUL, to be freed by the caller. Returns NULL if out of memory. */
char *text_copy(const char *text, size_t length);

/* The same for a text that ends with a NUL. */
char *text_copy_all(const char *text);

/*
 * Moves one of several texts into a common piece of memory: copies *text with its NUL to `to` +
 * `at`, points *text there, and returns the size with the NUL. If `to` is NULL, only returns the
 * size.
 */
size_t text_move(const char **text, char *to, size_t at);

#endif
