/* Writes UTF-8 to a console, independent of its code page. Only for Windows. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/* The maximum number of bytes of one write. */
#define CONSOLE_PIECE 4096

/* Returns true if the handle is a console's, for reading or writing. */
bool console_is(HANDLE handle);

/*
 * Returns the size without an incomplete character at the end, or `size` if no bytes would be left.
 */
size_t console_whole(const char *bytes, size_t size);

/*
 * Writes the characters of `size` bytes, at most CONSOLE_PIECE; invalid UTF-8 becomes U+FFFD. Waits
 * while the user has paused the console. Returns 0, or the system's error number.
 */
DWORD console_write(HANDLE console, const char *bytes, size_t size);

#endif
