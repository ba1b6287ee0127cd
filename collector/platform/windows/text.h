/*
 * Between the UTF-8 of all our texts and the UTF-16 of Windows' calls. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_TEXT_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Characters of the longest path that Windows has, with its end. */
#define WIDE_PATH_SIZE 32768

/* Converts a text into `size` characters, its end included; false where it does not fit or is no
 * UTF-8. */
bool text_to_wide(const char *text, wchar_t *wide, size_t size);

/* The same in memory of its own, freed by the caller (free); NULL where it cannot be had. */
wchar_t *text_wide_copy(const char *text);

/* The other way. What is no UTF-16, as file names may be, becomes U+FFFD. */
bool text_from_wide(const wchar_t *wide, char *text, size_t size);
char *text_from_wide_copy(const wchar_t *wide);

#endif
