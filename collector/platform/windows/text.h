/* Converts between UTF-8 and the UTF-16 of Windows' calls. Only for Windows. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_TEXT_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Characters of Windows' longest path, including the NUL. */
#define WIDE_PATH_SIZE 32768

/*
 * Converts a text. `size` is the room of `wide` in characters, including the NUL. Returns false if
 * the text does not fit or is not UTF-8.
 */
bool text_to_wide(const char *text, wchar_t *wide, size_t size);

/*
 * Converts a text into allocated memory, which the caller frees (free). Returns NULL with
 * GetLastError() on failure.
 */
wchar_t *text_wide_copy(const char *text);

/* Convert from UTF-16 to UTF-8. Invalid UTF-16, which file names may contain, becomes U+FFFD. */
bool text_from_wide(const wchar_t *wide, char *text, size_t size);
char *text_from_wide_copy(const wchar_t *wide);

#endif
