/*
 * Converts a message's times to times of samples (collector/contract/schema.h): nanoseconds since
 * 1970 UTC, or 0 if not given. A time that does not fit into 64 bits (before 1677 or after 2262)
 * counts as not given. Pure.
 */
#ifndef SLUICE_PROTO_SAMPLE_TIME_H
#define SLUICE_PROTO_SAMPLE_TIME_H

#include <stdint.h>

static inline int64_t sample_time_unsigned(uint64_t nanoseconds)
{
    return nanoseconds > INT64_MAX ? 0 : (int64_t)nanoseconds;
}

/* Converts `count` units of `unit` nanoseconds each. */
static inline int64_t sample_time_in_units(int64_t count, int64_t unit)
{
    return count > INT64_MAX / unit || count < INT64_MIN / unit ? 0 : count * unit;
}

/* Like sample_time_in_units, for a fractional number of units. */
static inline int64_t sample_time_in_real_units(double count, int64_t unit)
{
    if (!(count > -9.2e18 / (double)unit && count < 9.2e18 / (double)unit))
        return 0;
    int64_t whole = (int64_t)count;
    return whole * unit + (int64_t)((count - (double)whole) * (double)unit);
}

/* Returns the sum of both, or 0 if `a` is 0 (not given) or the sum does not fit. */
static inline int64_t sample_time_sum(int64_t a, int64_t b)
{
    return a == 0 || (b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b) ? 0 : a + b;
}

#endif
