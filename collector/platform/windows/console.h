/*
 * Writing UTF-8 to a console, whatever its code page is. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

/* Bytes that are written at once. */
#define CONSOLE_PIECE 4096

/* Whether it is a console's, or a part of one's, to write to or to read from. */
bool console_is(HANDLE handle);

/*
 * Of `size` bytes, how many are left when a character that is not whole is taken off their end;
 * `size` where nothing else would be left.
 */
size_t console_whole(const char *bytes, size_t size);

/*
 * Writes the characters of `size` bytes, at most CONSOLE_PIECE; what is no UTF-8 becomes U+FFFD. It
 * waits while somebody has stopped the console. Returns 0, or the system's number of a failure.
 */
DWORD console_write(HANDLE console, const char *bytes, size_t size);

#endif
