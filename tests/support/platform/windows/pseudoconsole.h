/*
 * Opens a pseudoconsole of Windows 10 (1809) and later. The test types its keys and reads its
 * screen. An error fails the running cmocka test. For one thread.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_PSEUDOCONSOLE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_PSEUDOCONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

struct pseudoconsole {
    void *console;
    HANDLE screen; /* the console's output, with control sequences */
    HANDLE keys;
    size_t size; /* of `shown` */
    char shown[65536];
};

/*
 * Opens a pseudoconsole of 80 columns and 25 rows. Returns false if this system has no
 * pseudoconsoles.
 */
bool pseudoconsole_open(struct pseudoconsole *made);
void pseudoconsole_close(struct pseudoconsole *console);

/*
 * Starts the command line in the console. The caller closes the returned process. `line` is
 * modified.
 */
HANDLE pseudoconsole_start(const struct pseudoconsole *console, wchar_t *line);

/* Types these bytes: characters, or escape sequences of keys. */
void pseudoconsole_type(const struct pseudoconsole *console, const char *keys);

/*
 * Reads the console's output until it contains the text. Cursor movements between words are
 * ignored.
 */
void pseudoconsole_assert_shows(struct pseudoconsole *console, const char *text);

#endif
