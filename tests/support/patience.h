/*
 * Waiting for another thread in a test: give way, and give up after a time that only a hang needs.
 */
#ifndef SLUICE_TESTS_SUPPORT_PATIENCE_H
#define SLUICE_TESTS_SUPPORT_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/thread.h"

#define PATIENCE_NS (INT64_C(20) * 1000000000)

/* When patience ends, if it begins now. */
static inline int64_t patience_until(void)
{
    return clock_monotonic_ns() + PATIENCE_NS;
}

/* Lets other threads run; false once patience has ended. */
static inline bool patience(int64_t until)
{
    thread_yield();
    return clock_monotonic_ns() < until;
}

/* splitmix64 (Steele, Lea and Flood): the same numbers on every machine. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
