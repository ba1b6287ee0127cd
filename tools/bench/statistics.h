/*
 * Computes the median and the spread of a value that was measured in several rounds. NaN is a
 * missing value, such as the cost of a datagram if none was received, and is ignored. Pure; any
 * thread.
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
    double median; /* of an even number of values: the mean of the middle two */
    double least;
    double most;
};

/* Adds a value. Values after the first SERIES_MOST are dropped. */
void series_add(struct series *series, double value);

/* Returns the median and the spread of the values. They are NaN if there are no values. */
struct spread spread_of(const struct series *series);

/*
 * Divides each value of `series` by that of `yardstick` in the same round, and returns the spread
 * of these ratios. They are more reliable than a ratio of two medians, because a disturbance of the
 * machine affects both values of a round. Both series must have the same number of values.
 */
struct spread spread_of_ratios(const struct series *series, const struct series *yardstick);

#endif
