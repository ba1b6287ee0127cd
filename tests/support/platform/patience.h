/*
 * Waits for another thread in a test. The time limit is so long that only a hang reaches it. Under
 * Wine, a test that usually takes 0.3 s has taken 24 s.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_PATIENCE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/clock.h"
#include "tests/support/platform/this_thread.h"

#define PATIENCE_NS (INT64_C(50) * 1000000000)

/*
 * Duration of a test in which two threads exchange items. It is a time instead of a number of
 * items, because on a busy machine each item may take a time slice of every running program.
 */
#define TRAFFIC_NS (INT64_C(1) * 1000000000)

/* Returns the end of a wait that begins now. */
static inline int64_t patience_until(void)
{
    return clock_monotonic_ns() + PATIENCE_NS;
}

/* Yields to other threads. Returns false once the time `until` has passed. */
static inline bool patience(int64_t until)
{
    this_thread_yield();
    return clock_monotonic_ns() < until;
}

#endif
