/*
 * Converts a histogram of either kind to cumulative buckets, as Prometheus and Telegraf use them:
 * ascending bounds, each with the number of values that are not above it. Pure functions; a walk
 * belongs to its caller.
 *
 * A sink may select some of the buckets (buckets=). Omitting a bound does not change the counts of
 * the others, because they are cumulative.
 */
#ifndef SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H
#define SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H

#include "collector/contract/encoder.h"
#include "collector/contract/schema.h"

struct classic_bucket {
    double bound;   /* finite */
    uint64_t count; /* number of values in this bucket and all lower ones */
};

/* The position of a walk. */
struct classic_buckets {
    const struct sample *sample;
    uint64_t choice; /* see struct encoder_options */
    unsigned shift;  /* for exponential histograms: 2^shift neighbours are merged into one bucket */
    size_t next;
    double last;    /* the last bound returned */
    uint64_t count; /* number of values below it */

    /* For BUCKETS_CHANGED: the next bucket, and the count of the bucket before it. */
    struct classic_bucket ahead;
    bool has_ahead, begun;
    uint64_t below;
};

/*
 * Begins a walk. `sample` is a SAMPLE_HISTOGRAM or a SAMPLE_EXPONENTIAL_HISTOGRAM, and must outlive
 * the walk. `choice` is BUCKETS_ALL, BUCKETS_CHANGED, or the maximum number of buckets, with the
 * last one (BUCKETS_LEAST or more). BUCKETS_CHANGED selects the first bound and the bounds of
 * buckets with values, which changes no quantile that Prometheus computes.
 *
 * To limit the number of buckets of an exponential histogram, neighbours are merged, which reduces
 * its scale (OTLP, "Exponential Scale"). Of explicit bounds every nth is kept. Both do not depend
 * on the counts, so a series keeps its bounds over time.
 */
void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample,
                           uint64_t choice);

/*
 * Returns by how much the scale of an exponential histogram is reduced: 2^shift neighbours are
 * merged into one bucket.
 */
unsigned classic_buckets_shift(const struct sample *sample, uint64_t choice);

/*
 * Returns the next bucket, or false at the end. The last bucket, which has no bound and counts all
 * values (totals.count), is omitted.
 *
 * The bounds of an exponential histogram are computed from its scale. They ascend from the lower
 * bound of the lowest negative bucket to the upper bound of the bucket of zero (the threshold), and
 * from the lower bound of the lowest positive bucket to the upper bound of the highest. Bounds that
 * do not fit in a double or are out of order are skipped; their counts are in the next bucket. If a
 * sender's counts do not match its bounds, there are no buckets.
 */
bool classic_buckets_next(struct classic_buckets *walk, struct classic_bucket *bucket);

#endif
