/*
 * How often a measure was how large: counters for the ranges between fixed bounds, in a block of
 * the ledger.
 *
 * One thread notes, any thread may read, as of every counter (collector/base/counter.h). A note
 * costs two additions and a few comparisons: one is due for a drain, a batch or a write, never for
 * a datagram.
 */
#ifndef SLUICE_COLLECTOR_BASE_HISTOGRAM_H
#define SLUICE_COLLECTOR_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/counter.h"

#define HISTOGRAM_BOUNDS 20

/* The upper bounds of the ranges, each included, in ascending order; what is above the last has a
 * range of its own. */
extern const uint64_t histogram_times[HISTOGRAM_BOUNDS];  /* nanoseconds: 10 us to 30 s */
extern const uint64_t histogram_counts[HISTOGRAM_BOUNDS]; /* of anything: 0 to 262144 */

struct histogram {
    struct counter ranges[HISTOGRAM_BOUNDS + 1];
    struct counter sum;
};

/* The same as plain numbers, at one moment. */
struct histogram_totals {
    uint64_t ranges[HISTOGRAM_BOUNDS + 1];
    uint64_t sum;
};

/* A measure, by the bounds that its histogram has. */
static inline void histogram_note(struct histogram *histogram, const uint64_t *bounds,
                                  uint64_t value)
{
    size_t range = 0;
    while (range < HISTOGRAM_BOUNDS && value > bounds[range])
        range++;
    counter_add(&histogram->sum, value);
    counter_add(&histogram->ranges[range], 1);
}

/* Adds what was noted so far. */
void histogram_add_to(const struct histogram *histogram, struct histogram_totals *totals);

#endif
