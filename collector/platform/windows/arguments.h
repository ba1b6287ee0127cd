/* Converts a program's arguments from UTF-16. Only for platform/windows/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_ARGUMENTS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_ARGUMENTS_H

#include <wchar.h>

/*
 * Returns `count` texts in UTF-8 and a NULL after them; the caller frees them with arguments_free.
 * Invalid UTF-16, such as an unpaired surrogate, becomes U+FFFD. Returns NULL if memory is short.
 */
char **arguments_from_wide(int count, wchar_t *const *wide);

/* NULL is allowed. */
void arguments_free(char **arguments);

#endif
