#include "collector/capture/pcapng_time.h"

#include <stddef.h>

#define NANOSECONDS_PER_SECOND 1000000000u
#define MAX_SECONDS            INT64_C(9223372036) /* INT64_MAX nanoseconds */

static const uint64_t powers_of_ten[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};
#define POWERS (sizeof powers_of_ten / sizeof powers_of_ten[0])

static void split_decimal(uint64_t units, unsigned exponent, uint64_t *seconds, uint64_t *fraction)
{
    /* If a second has 10^20 or more units, every 64-bit count is less than a second. */
    *seconds = exponent < POWERS ? units / powers_of_ten[exponent] : 0;
    uint64_t rest = exponent < POWERS ? units % powers_of_ten[exponent] : units;
    if (exponent <= 9)
        *fraction = rest * powers_of_ten[9 - exponent];
    else
        *fraction = exponent - 9 < POWERS ? rest / powers_of_ten[exponent - 9] : 0;
}

static void split_binary(uint64_t units, unsigned exponent, uint64_t *seconds, uint64_t *fraction)
{
    *seconds = exponent < 64 ? units >> exponent : 0;
    uint64_t rest = exponent < 64 ? units & ((UINT64_C(1) << exponent) - 1) : units;
    /*
     * Shortens the fraction to 34 bits, so that the product with 10^9 (30 bits) fits 64 bits. A
     * unit of 2^-34 s is 0.06 ns.
     */
    if (exponent > 34) {
        rest = exponent - 34 < 64 ? rest >> (exponent - 34) : 0;
        exponent = 34;
    }
    *fraction = (rest * NANOSECONDS_PER_SECOND) >> exponent;
}

int64_t pcapng_time_ns(uint64_t units, uint8_t resolution, int64_t offset)
{
    uint64_t seconds, fraction;
    unsigned exponent = resolution & 0x7fu;
    if ((resolution & 0x80u) != 0)
        split_binary(units, exponent, &seconds, &fraction);
    else
        split_decimal(units, exponent, &seconds, &fraction);

    int64_t whole = seconds < INT64_MAX ? (int64_t)seconds : INT64_MAX;
    if (offset > 0 && whole > INT64_MAX - offset)
        return INT64_MAX;
    whole += offset;
    if (whole >= MAX_SECONDS)
        return INT64_MAX;
    if (whole <= -MAX_SECONDS)
        return INT64_MIN;
    return whole * NANOSECONDS_PER_SECOND + (int64_t)fraction;
}
