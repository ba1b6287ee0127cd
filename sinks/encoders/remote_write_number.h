/*
 * Converts values and times to those of Prometheus: its two NaNs, and milliseconds. Pure functions.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_NUMBER_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double remote_write_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * Returns the value, or for any NaN the one that Prometheus stores as an ordinary value. Another
 * bit pattern of NaN could mean that a series has ended.
 */
static inline double remote_write_number(double value)
{
    return isnan(value) ? remote_write_of_bits(UINT64_C(0x7ff8000000000001)) : value;
}

/* Returns the NaN that ends a series (a "stale marker"). */
static inline double remote_write_end(void)
{
    return remote_write_of_bits(UINT64_C(0x7ff0000000000002));
}

static inline int64_t remote_write_milliseconds(int64_t time_ns)
{
    return time_ns / 1000000 - (time_ns % 1000000 < 0);
}

#endif
