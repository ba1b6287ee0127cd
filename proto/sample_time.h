/*
 * The times of samples, as in collector/contract/schema.h: nanoseconds since 1970 UTC; 0: the time
 * is not given. Times that do not fit in 64 bits (before 1677 or after 2262) count as not given.
 * Pure.
 */
#ifndef SLUICE_PROTO_SAMPLE_TIME_H
#define SLUICE_PROTO_SAMPLE_TIME_H

#include <stdint.h>

/* Converts nanoseconds that were sent as an unsigned number. */
static inline int64_t sample_time_unsigned(uint64_t nanoseconds)
{
    return nanoseconds > INT64_MAX ? 0 : (int64_t)nanoseconds;
}

/* Converts `count` units of `unit` nanoseconds each. */
static inline int64_t sample_time_in_units(int64_t count, int64_t unit)
{
    return count > INT64_MAX / unit || count < INT64_MIN / unit ? 0 : count * unit;
}

/* As sample_time_in_units, for a number that is not whole; 0 if it does not fit. */
static inline int64_t sample_time_in_real_units(double count, int64_t unit)
{
    if (!(count > -9.2e18 / (double)unit && count < 9.2e18 / (double)unit))
        return 0;
    int64_t whole = (int64_t)count;
    return whole * unit + (int64_t)((count - (double)whole) * (double)unit);
}

/* Adds the rest of a time to its first part; 0 if that was not given. */
static inline int64_t sample_time_sum(int64_t a, int64_t b)
{
    return a == 0 || (b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b) ? 0 : a + b;
}

#endif
