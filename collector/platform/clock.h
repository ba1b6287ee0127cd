/* The time, in nanoseconds. */
#ifndef SLUICE_COLLECTOR_PLATFORM_CLOCK_H
#define SLUICE_COLLECTOR_PLATFORM_CLOCK_H

#include <stdint.h>

/* Nanoseconds of a clock that never goes back; not negative. */
int64_t clock_monotonic_ns(void);

/* Nanoseconds since 1970 UTC, as clock_wall_ns_of has them. */
int64_t clock_wall_ns(void);

/*
 * What a system counts in seconds may be more than 64 bits hold in nanoseconds, which end in the
 * year 2262. This many seconds leave seven years that may be added.
 */
#define CLOCK_SECONDS_MOST INT64_C(9000000000)

/* A time since 1970; a time after 2255-03-14 becomes that day. */
static inline int64_t clock_wall_ns_of(int64_t seconds, int64_t nanoseconds)
{
    if (seconds >= CLOCK_SECONDS_MOST)
        return CLOCK_SECONDS_MOST * 1000000000;
    if (seconds <= -CLOCK_SECONDS_MOST)
        return -CLOCK_SECONDS_MOST * 1000000000;
    return seconds * 1000000000 + nanoseconds;
}

/*
 * A time of a clock that counts from anywhere, as a debugger or a library that is loaded first may
 * set it: spans of it stay what they are.
 */
static inline int64_t clock_monotonic_ns_of(int64_t seconds, int64_t nanoseconds)
{
    return (int64_t)((uint64_t)seconds % CLOCK_SECONDS_MOST) * 1000000000 + nanoseconds;
}

#endif
