/*
 * The moment after which a stop waits no longer, told to one thread by others.
 *
 * It can only be brought forward: of several that were set the earliest counts.
 */
#ifndef SLUICE_COLLECTOR_DEADLINE_H
#define SLUICE_COLLECTOR_DEADLINE_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/thread.h"

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

/* Milliseconds until then, rounded up, and at most `most` where that is not negative: a timeout. */
static inline int deadline_wait_ms(const struct deadline *deadline, int most)
{
    int64_t ns = atomic_load_explicit(&deadline->ns, memory_order_relaxed);
    if (ns == INT64_MAX)
        return most;
    int64_t left = (ns - clock_monotonic_ns()) / 1000000 + 1;
    if (left < 0)
        left = 0;
    return most >= 0 && most < left ? most : left > INT_MAX ? INT_MAX : (int)left;
}

#endif
