/*
 * Generates pseudorandom numbers that are the same on every machine: splitmix64 (Steele, Lea and
 * Flood, "Fast splittable pseudorandom number generators", 2014). Any first state is allowed.
 */
#ifndef SLUICE_TESTS_SUPPORT_BASE_RANDOM_NUMBER_H
#define SLUICE_TESTS_SUPPORT_BASE_RANDOM_NUMBER_H

#include <stdint.h>

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Returns a random number below `end`. */
static inline uint64_t next_below(uint64_t *state, uint64_t end)
{
    return next_random(state) % end;
}

#endif
