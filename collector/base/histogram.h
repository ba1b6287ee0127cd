/*
 * Counts the values of a measure in ranges between fixed bounds.
 *
 * One thread adds values; any thread may read (collector/base/counter.h). Adding a value costs two
 * additions and a few comparisons. Values are added for each drain, batch or write, never for each
 * datagram.
 */
#ifndef SLUICE_COLLECTOR_BASE_HISTOGRAM_H
#define SLUICE_COLLECTOR_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/counter.h"

#define HISTOGRAM_BOUNDS 20

/*
 * The inclusive upper bounds of the ranges, ascending. Values above the last bound have a range of
 * their own.
 */
extern const uint64_t histogram_times[HISTOGRAM_BOUNDS];  /* nanoseconds: 10 us to 30 s */
extern const uint64_t histogram_counts[HISTOGRAM_BOUNDS]; /* any count: 0 to 262144 */

struct histogram {
    struct counter ranges[HISTOGRAM_BOUNDS + 1];
    struct counter sum;
};

/* The counts of histograms as plain numbers. */
struct histogram_totals {
    uint64_t ranges[HISTOGRAM_BOUNDS + 1];
    uint64_t sum;
};

/* Adds a value; `bounds` must always be the same for a histogram. */
static inline void histogram_note(struct histogram *histogram, const uint64_t *bounds,
                                  uint64_t value)
{
    size_t range = 0;
    while (range < HISTOGRAM_BOUNDS && value > bounds[range])
        range++;
    counter_add(&histogram->sum, value);
    counter_add(&histogram->ranges[range], 1);
}

/* Adds the present counts of the histogram to *totals. */
void histogram_add_to(const struct histogram *histogram, struct histogram_totals *totals);

#endif
