/* A program's arguments, as Windows has them and as we do. Of platform/windows only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_ARGUMENTS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_ARGUMENTS_H

#include <wchar.h>

/*
 * `count` texts in UTF-8, and a NULL after them. What is no UTF-16, such as one half of a pair,
 * becomes U+FFFD. Returns NULL where memory is short; the caller frees it (arguments_free).
 */
char **arguments_from_wide(int count, wchar_t *const *wide);

/* NULL is allowed. */
void arguments_free(char **arguments);

#endif
