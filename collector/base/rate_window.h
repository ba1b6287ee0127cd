/*
 * Limits events per second, counted over several threads without a lock.
 *
 * A second begins with the first event after the previous second has ended. Events beyond the limit
 * are refused until the second ends. All zero at first; any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_RATE_WINDOW_H
#define SLUICE_COLLECTOR_BASE_RATE_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RATE_WINDOW_MOST ((uint64_t)1 << 23) /* the highest limit, in events per second */

struct rate_window {
    /*
     * The upper 40 bits are the millisecond in which the present second began. The lower 24 bits
     * are the number of events since then.
     */
    _Atomic uint64_t state;
};

/*
 * Returns true, and counts the event, if an event at `now_ns` (monotonic) is within `limit` (at
 * most RATE_WINDOW_MOST).
 */
static inline bool rate_window_take(struct rate_window *window, uint64_t limit, int64_t now_ns)
{
    const unsigned count_bits = 24;
    uint64_t now = (uint64_t)now_ns / 1000000;
    uint64_t seen = atomic_load_explicit(&window->state, memory_order_relaxed);
    uint64_t next;
    do {
        uint64_t start = seen >> count_bits;
        uint64_t count = seen & (((uint64_t)1 << count_bits) - 1);
        if (now >= start + 1000) {
            start = now;
            count = 0;
        }
        if (count >= limit)
            return false;
        next = start << count_bits | (count + 1);
    } while (!atomic_compare_exchange_weak(&window->state, &seen, next));
    return true;
}

#endif
