/*
 * What is reported of something that was measured in several rounds: the middle and the spread.
 * Pure; any thread.
 *
 * A value that is not there (a round that had nothing to divide by) is NaN and counts for nothing.
 */
#ifndef SLUICE_TOOLS_BENCH_STATISTICS_H
#define SLUICE_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

#define SERIES_MOST 100

/* One value of each round, in their order. */
struct series {
    double values[SERIES_MOST];
    size_t count;
};

struct spread {
    double median; /* of an even count the mean of the two in the middle */
    double least;
    double most;
};

/* A value more than SERIES_MOST is not kept. */
void series_add(struct series *series, double value);

/* Of its values; all NaN where there is none. */
struct spread spread_of(const struct series *series);

/*
 * The spread of the ratios of both, round by round: a ratio of two things of one round means more
 * than one of two medians, because what disturbs a machine disturbs both. They have as many values.
 */
struct spread spread_of_ratios(const struct series *series, const struct series *yardstick);

#endif
