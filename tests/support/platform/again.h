/*
 * Starts this test program again as a second process. Its argument selects what it does, and the
 * test reads its standard output. CMake chooses the implementation of the operating system. An
 * error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H

#include <stddef.h>

#include "tests/support/platform/standard_stream.h"

struct again {
    test_stream output; /* to read from until again_end */
    void *process;
};

/* Starts the second process with one argument. */
struct again again_start(const char *argument);

/* Kills the second process; its end may take a moment. */
void again_kill(struct again *again);

/*
 * Waits until the second process has ended. Returns its exit code; after a kill, a number other
 * than 0.
 */
int again_end(struct again *again);

#endif
