/*
 * Starts this test program again as a second process: its arguments choose what it does, and the
 * test reads its standard output. Each operating system implements this header in a file of its
 * own, chosen by CMake. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_AGAIN_H

#include <stddef.h>

#include "tests/support/platform/standard_stream.h"

struct again {
    test_stream output; /* read it until again_end */
    void *process;
};

/* Starts the second process with one argument. */
struct again again_start(const char *argument);

/* Kills the second process; its end may take a moment. */
void again_kill(struct again *again);

/*
 * Waits until the second process has ended. Returns its exit code; after a kill, any number except
 * 0.
 */
int again_end(struct again *again);

#endif
