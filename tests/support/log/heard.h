/*
 * Keeps log lines in memory during a test instead of writing them to stderr. There is one list for
 * all threads.
 */
#ifndef SLUICE_TESTS_SUPPORT_LOG_HEARD_H
#define SLUICE_TESTS_SUPPORT_LOG_HEARD_H

#include <stddef.h>

/*
 * Starts keeping lines, and forgets earlier ones. Call this while the program has only one thread.
 */
void heard_begin(void);

/*
 * Writes later lines to stderr again. Kept lines can still be counted. Call this while the program
 * has only one thread.
 */
void heard_end(void);

/* Returns the number of kept lines that contain this text. Any thread. */
size_t heard(const char *text);

#endif
