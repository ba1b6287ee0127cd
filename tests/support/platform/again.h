/*
 * This same test program once more, as another process beside the test: what it does is chosen by
 * its arguments, and what it writes to its standard output the test reads.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake. What goes
 * wrong fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H

#include <stddef.h>

#include "tests/support/platform/standard_stream.h"

struct again {
    test_stream output; /* to be read, until again_end */
    void *process;
};

/* Starts it with one argument. */
struct again again_start(const char *argument);

/* Ends it at once, without a word; it may take a moment. */
void again_kill(struct again *again);

/* Waits until it has ended. Returns its exit code; of one that was killed, any other than 0. */
int again_end(struct again *again);

#endif
