/*
 * Statistics of a value that was measured in several rounds: median and spread. Pure; any thread.
 *
 * A missing value is NaN and is ignored. An example is the cost of a datagram in a round that
 * received no datagram.
 */
#ifndef SLUICE_TOOLS_BENCH_STATISTICS_H
#define SLUICE_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

#define SERIES_MOST 100

/* The values of all rounds, in order. */
struct series {
    double values[SERIES_MOST];
    size_t count;
};

struct spread {
    double median; /* if the number of values is even: the mean of the middle two */
    double least;
    double most;
};

/* Adds a value; values beyond SERIES_MOST are dropped. */
void series_add(struct series *series, double value);

/* Returns the spread of the values; NaN if there are no values. */
struct spread spread_of(const struct series *series);

/*
 * Divides each value of `series` by that of `yardstick` in the same round, and returns the spread
 * of these ratios. Such a ratio is more reliable than a ratio of two medians, because a disturbance
 * of the machine affects both values of a round. Both series must have the same number of values.
 */
struct spread spread_of_ratios(const struct series *series, const struct series *yardstick);

#endif
