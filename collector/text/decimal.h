/* Writes integers as decimal digits, two digits per step. Pure functions; any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_DECIMAL_H
#define SLUICE_COLLECTOR_TEXT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The digits "00" to "99", one pair after the other. */
extern const char decimal_pairs[200];

/* Writes `value` (at most 99) as two digits. */
static inline void decimal_put_2(char *text, uint32_t value)
{
    memcpy(text, decimal_pairs + (size_t)value * 2, 2);
}

/* Writes `value` (at most 99999999) as eight digits. */
static inline void decimal_put_8(char *text, uint32_t value)
{
    uint32_t high = value / 10000;
    uint32_t low = value % 10000;
    decimal_put_2(text, high / 100);
    decimal_put_2(text + 2, high % 100);
    decimal_put_2(text + 4, low / 100);
    decimal_put_2(text + 6, low % 100);
}

/* Writes `value` without leading zeros and without a NUL. Returns the number of digits, 1 to 20. */
size_t decimal_uint64(uint64_t value, char *text);

/*
 * Like decimal_uint64, with a minus sign if `value` is negative. Returns the number of bytes, 1 to
 * 20.
 */
size_t decimal_int64(int64_t value, char *text);

#endif
