/* Waits for another thread in a test, up to a time that only a hang reaches: under Wine a test of
 * 0.3 s once took 24 s. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_PATIENCE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/clock.h"
#include "tests/support/platform/this_thread.h"

#define PATIENCE_NS (INT64_C(50) * 1000000000)

/*
 * How long two threads pass items to each other in a test. On a busy machine each item may take a
 * time slice of every running program, so that a number of items could take minutes.
 */
#define TRAFFIC_NS (INT64_C(1) * 1000000000)

/* The time at which a patience that begins now ends. */
static inline int64_t patience_until(void)
{
    return clock_monotonic_ns() + PATIENCE_NS;
}

/* Lets other threads run; false once patience has ended. */
static inline bool patience(int64_t until)
{
    this_thread_yield();
    return clock_monotonic_ns() < until;
}

#endif
