/*
 * Powers of ten as 128-bit significands, for shortest_double.c. Generated with exact arithmetic.
 * Constant.
 */
#ifndef SLUICE_COLLECTOR_TEXT_POW10_TABLE_H
#define SLUICE_COLLECTOR_TEXT_POW10_TABLE_H

#include <stdint.h>

#define POW10_TABLE_FIRST (-292)
#define POW10_TABLE_LAST  324

/* high * 2^64 + low is 10^e / 2^(floor(log2(10^e)) - 127), rounded up: its top bit is set. */
struct pow10 {
    uint64_t high;
    uint64_t low;
};

/* 10^e is at index e - POW10_TABLE_FIRST. */
extern const struct pow10 pow10_table[POW10_TABLE_LAST - POW10_TABLE_FIRST + 1];

#endif
