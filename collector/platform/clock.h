/*
 * The time, deadlines and short waits.
 *
 * A port provides two clocks (clock_monotonic_ns, clock_wall_ns) and a wait that is shorter than a
 * millisecond (struct pause). The rest is the same on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CLOCK_H
#define SLUICE_COLLECTOR_PLATFORM_CLOCK_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* --- the clocks ------------------------------------------------------------------------------- */

/* Times are in nanoseconds. Any thread. */

/* Returns the time of a clock that never goes back, in nanoseconds; not negative. */
int64_t clock_monotonic_ns(void);

/* Returns the nanoseconds since 1970 UTC, limited as clock_wall_ns_of limits them. */
int64_t clock_wall_ns(void);

/*
 * The highest number of seconds since 1970 that is converted to nanoseconds: 2255-03-14.
 * Nanoseconds in 64 bits reach until the year 2262.
 */
#define CLOCK_SECONDS_MOST INT64_C(9000000000)

/*
 * Converts a time since 1970 to nanoseconds. Limits it to CLOCK_SECONDS_MOST seconds, and to the
 * negative of that.
 */
static inline int64_t clock_wall_ns_of(int64_t seconds, int64_t nanoseconds)
{
    if (seconds >= CLOCK_SECONDS_MOST)
        return CLOCK_SECONDS_MOST * 1000000000;
    if (seconds <= -CLOCK_SECONDS_MOST)
        return -CLOCK_SECONDS_MOST * 1000000000;
    return seconds * 1000000000 + nanoseconds;
}

/*
 * Converts a time of a monotonic clock to nanoseconds. A debugger or a preloaded library may let
 * the clock start at any value, so the seconds are taken modulo CLOCK_SECONDS_MOST.
 */
static inline int64_t clock_monotonic_ns_of(int64_t seconds, int64_t nanoseconds)
{
    return (int64_t)((uint64_t)seconds % CLOCK_SECONDS_MOST) * 1000000000 + nanoseconds;
}

/* --- deadlines -------------------------------------------------------------------------------- */

/*
 * The time until which a stopping thread may still wait. Other threads set it. It can only be moved
 * to an earlier time.
 */

/* Nanoseconds of clock_monotonic_ns(); INT64_MAX means no deadline. */
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

/* Returns true if there is a deadline. Any thread. */
static inline bool deadline_is_set(const struct deadline *deadline)
{
    return atomic_load_explicit(&deadline->ns, memory_order_relaxed) != INT64_MAX;
}

/* Reads the clock only if there is a deadline. */
static inline bool deadline_is_over(const struct deadline *deadline)
{
    int64_t ns = atomic_load_explicit(&deadline->ns, memory_order_relaxed);
    return ns != INT64_MAX && clock_monotonic_ns() >= ns;
}

/* Lowers *due_ns, the time of the next thing to do, to `time_ns` if that is earlier. */
static inline void bring_forward(int64_t *due_ns, int64_t time_ns)
{
    if (time_ns < *due_ns)
        *due_ns = time_ns;
}

/*
 * Returns a timeout: the milliseconds from `now_ns` until `until_ns`, rounded up, or -1 (for ever)
 * if `until_ns` is INT64_MAX.
 */
static inline int milliseconds_until(int64_t until_ns, int64_t now_ns)
{
    if (until_ns == INT64_MAX)
        return -1;
    int64_t left = until_ns <= now_ns ? 0 : (until_ns - now_ns) / 1000000 + 1;
    return left > INT_MAX ? INT_MAX : (int)left;
}

/*
 * Returns the milliseconds from now until the deadline, as milliseconds_until does, but at most
 * `most` unless `most` is negative.
 */
static inline int deadline_wait_ms(const struct deadline *deadline, int most)
{
    int64_t ns = atomic_load_explicit(&deadline->ns, memory_order_relaxed);
    if (ns == INT64_MAX)
        return most;
    int left = milliseconds_until(ns, clock_monotonic_ns());
    return most >= 0 && most < left ? most : left;
}

/* --- short waits ------------------------------------------------------------------------------ */

/*
 * Waits of well below a millisecond, as exact as the system allows.
 *
 * Lifecycle: create, wait any number of times, destroy. One thread waits; any thread may create and
 * destroy it.
 */

struct pause;

/* Returns NULL if the system has no wait of less than a millisecond, or no memory. */
struct pause *pause_create(void);

/* NULL is allowed. */
void pause_destroy(struct pause *pause);

/*
 * Waits for `nanoseconds`, and for the time that the scheduler needs to resume the thread. A signal
 * may end the wait earlier.
 */
void pause_wait(struct pause *pause, int64_t nanoseconds);

#endif
