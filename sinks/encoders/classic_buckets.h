/*
 * A histogram, of either kind, as the buckets of Prometheus and Telegraf: ascending bounds, each
 * with the number of values not above it. Pure functions; a walk belongs to its caller.
 *
 * A sink may select some of the buckets (buckets=): the count of an omitted bound is included in
 * the next one, so the count of each remaining bound does not change.
 */
#ifndef SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H
#define SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H

#include "collector/contract/encoder.h"
#include "collector/contract/schema.h"

struct classic_bucket {
    double bound;   /* finite */
    uint64_t count; /* values in this bucket and in all lower ones */
};

/* The position of a walk. */
struct classic_buckets {
    const struct sample *sample;
    uint64_t choice; /* as in struct encoder_options */
    unsigned shift;  /* exponential histograms: 2^shift neighbours are merged into one bucket */
    size_t next;
    double last;    /* the last bound */
    uint64_t count; /* values so far */

    /* BUCKETS_CHANGED: the next bucket, and the count of the bucket before that. */
    struct classic_bucket ahead;
    bool has_ahead, begun;
    uint64_t below;
};

/*
 * Begins a walk. `sample` is a SAMPLE_HISTOGRAM or a SAMPLE_EXPONENTIAL_HISTOGRAM and outlives the
 * walk. `choice` is BUCKETS_ALL, BUCKETS_CHANGED, or the largest number of buckets, including the
 * last bucket (BUCKETS_LEAST or more). BUCKETS_CHANGED selects the first bound and the bounds of
 * buckets with values, which does not change any quantile that Prometheus computes.
 *
 * To limit the number of buckets of an exponential histogram, its scale is reduced (OTLP,
 * "Exponential Scale": neighbours are merged). Of explicit bounds every nth is kept. Both are
 * independent of the counts, so a series keeps its bounds over time.
 */
void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample,
                           uint64_t choice);

/*
 * Returns the power of two by which neighbours are merged of an exponential histogram; 0: none are.
 */
unsigned classic_buckets_shift(const struct sample *sample, uint64_t choice);

/*
 * Returns the next bucket, or false at the end. The last bucket, which has no bound, is omitted; it
 * would count all values (totals.count).
 *
 * The bounds of an exponential histogram are those of its buckets, computed from its scale. They
 * ascend from the lower bound of the lowest negative bucket to the upper bound of the bucket of
 * zero (the threshold), and from the lower bound of the lowest positive bucket to the upper bound
 * of the highest. Bounds that do not fit in a double, and bounds out of order, are skipped: their
 * counts are in the next bucket. If a sender's counts do not match its bounds there are no buckets.
 */
bool classic_buckets_next(struct classic_buckets *walk, struct classic_bucket *bucket);

#endif
