/*
 * What is reported of something that was measured again and again: the middle and the spread.
 * Pure; any thread.
 *
 * A value that is not there (a round that had nothing to divide by) is NaN and counts for nothing.
 */
#ifndef SLUICE_TOOLS_BENCH_STATISTICS_H
#define SLUICE_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

struct spread {
    double median; /* of an even count the mean of the two in the middle */
    double least;
    double most;
};

/* Of the `count` values; all NaN where there is none. Their order is kept. */
struct spread spread_of(const double *values, size_t count);

/*
 * The spread of values[i] / yardstick[i]: a ratio of two things of one round means more than one of
 * two medians, because what disturbs a machine disturbs both.
 */
struct spread spread_of_ratios(const double *values, const double *yardstick, size_t count);

#endif
