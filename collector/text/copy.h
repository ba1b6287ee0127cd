/* A text of one's own. Pure but for the memory; any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_COPY_H
#define SLUICE_COLLECTOR_TEXT_COPY_H

#include <stddef.h>

/* A copy of `length` bytes with a NUL at their end, to be freed; NULL where memory is short. */
char *text_copy(const char *text, size_t length);

/* The same of all bytes up to the NUL. */
char *text_copy_all(const char *text);

/*
 * For several texts in one piece of memory: copies *text with its NUL to `to` + `at`, which *text
 * is from then on, and returns their size. Where `to` is NULL it only returns the size.
 */
size_t text_move(const char **text, char *to, size_t at);

#endif
