/*
 * Keeps the log lines of a test's code instead of writing them to stderr. There is one log, for the
 * lines of all threads.
 */
#ifndef SLUICE_TESTS_SUPPORT_LOG_HEARD_H
#define SLUICE_TESTS_SUPPORT_LOG_HEARD_H

#include <stddef.h>

/*
 * From now on lines are kept, and earlier ones are forgotten. Call this while there is only one
 * thread.
 */
void heard_begin(void);

/*
 * Lines go to stderr again. Those that were kept can still be counted. Call this while there is
 * only one thread.
 */
void heard_end(void);

/* How many of the lines contain this text; any thread. */
size_t heard(const char *text);

#endif
