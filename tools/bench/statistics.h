/*
 * Statistics of a value that was measured in several rounds: median and spread. Pure; any thread.
 *
 * A missing value (a round without anything to divide by) is NaN and is ignored.
 */
#ifndef SLUICE_TOOLS_BENCH_STATISTICS_H
#define SLUICE_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

#define SERIES_MOST 100

/* One value of each round, in order. */
struct series {
    double values[SERIES_MOST];
    size_t count;
};

struct spread {
    double median; /* for an even count the mean of the two in the middle */
    double least;
    double most;
};

/* Adds a value; values beyond SERIES_MOST are dropped. */
void series_add(struct series *series, double value);

/* Returns the spread of its values; NaN if there are no values. */
struct spread spread_of(const struct series *series);

/*
 * Returns the spread of the ratios of two series, round by round. A ratio of two values of one
 * round is more reliable than one of two medians, because disturbances of the machine affect both.
 * Both series must have the same number of values.
 */
struct spread spread_of_ratios(const struct series *series, const struct series *yardstick);

#endif
