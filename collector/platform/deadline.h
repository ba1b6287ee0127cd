/*
 * The moment after which a stop waits no longer, set for one thread by others.
 *
 * It can only be brought forward: of several that were set the earliest counts.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DEADLINE_H
#define SLUICE_COLLECTOR_PLATFORM_DEADLINE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/clock.h"

/* Nanoseconds of clock_monotonic_ns(); INT64_MAX: none. */
struct deadline {
    _Atomic int64_t ns;
};

static inline void deadline_init(struct deadline *deadline)
{
    atomic_init(&deadline->ns, INT64_MAX);
}

/* Any thread. */
static inline void deadline_bring_forward(struct deadline *deadline, int64_t ns)
{
    int64_t before = atomic_load(&deadline->ns);
    while (ns < before && !atomic_compare_exchange_weak(&deadline->ns, &before, ns)) {
    }
}

/* Asks the clock only where there is a deadline. */
static inline bool deadline_is_over(const struct deadline *deadline)
{
    int64_t ns = atomic_load_explicit(&deadline->ns, memory_order_relaxed);
    return ns != INT64_MAX && clock_monotonic_ns() >= ns;
}

/* Lowers *due_ns, the time of the next thing to do, to `time_ns` where that is earlier. */
static inline void bring_forward(int64_t *due_ns, int64_t time_ns)
{
    if (time_ns < *due_ns)
        *due_ns = time_ns;
}

/* A timeout: milliseconds from `now_ns` until then, rounded up; -1, for ever, of INT64_MAX. */
static inline int milliseconds_until(int64_t until_ns, int64_t now_ns)
{
    if (until_ns == INT64_MAX)
        return -1;
    int64_t left = until_ns <= now_ns ? 0 : (until_ns - now_ns) / 1000000 + 1;
    return left > INT_MAX ? INT_MAX : (int)left;
}

/* The same until the deadline, and at most `most` where that is not negative. */
static inline int deadline_wait_ms(const struct deadline *deadline, int most)
{
    int64_t ns = atomic_load_explicit(&deadline->ns, memory_order_relaxed);
    if (ns == INT64_MAX)
        return most;
    int left = milliseconds_until(ns, clock_monotonic_ns());
    return most >= 0 && most < left ? most : left;
}

#endif
