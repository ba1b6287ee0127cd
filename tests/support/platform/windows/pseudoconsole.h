/*
 * A pseudoconsole of Windows 10 (1809) and later: a console whose keys are written and whose
 * content is read by the test. Functions fail the running cmocka test on errors. One thread.
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

/* Opens a pseudoconsole of 80 columns and 25 rows; false: this system has none. */
bool pseudoconsole_open(struct pseudoconsole *made);
void pseudoconsole_close(struct pseudoconsole *console);

/* Starts the command line in it; the caller closes the process. `line` is modified. */
HANDLE pseudoconsole_start(const struct pseudoconsole *console, wchar_t *line);

/* Types these bytes: characters, and the sequences of keys. */
void pseudoconsole_type(const struct pseudoconsole *console, const char *keys);

/* Reads the console until it contains the text. Cursor movements may be between two words. */
void pseudoconsole_assert_shows(struct pseudoconsole *console, const char *text);

#endif
