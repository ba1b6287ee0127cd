/*
 * A histogram, of either kind, as the buckets that Prometheus and Telegraf know: how many of the
 * values are not above a bound, for bounds that ascend. Pure functions; a walk is its caller's.
 */
#ifndef SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H
#define SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H

#include "collector/contract/schema.h"

struct classic_bucket {
    double bound;   /* finite */
    uint64_t count; /* of it and all buckets below it */
};

/* A place in a walk. */
struct classic_buckets {
    const struct sample *sample;
    size_t next;
    double last;    /* bound */
    uint64_t count; /* so far */
};

/* `sample` is a SAMPLE_HISTOGRAM or a SAMPLE_EXPONENTIAL_HISTOGRAM and outlives the walk. */
void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample);

/*
 * The next bucket, or false at the end. The last one, without a bound, is left out: it holds all
 * values, totals.count of them.
 *
 * Of an exponential histogram the bounds are those of its buckets, computed from its scale: from
 * the lower bound of the lowest one below zero to that of zero (the threshold), and from the lower
 * bound of the first one above zero to its highest. Bounds that a double cannot hold, and any that
 * a sender put out of order, are no buckets: what they count is in the next one. Where a sender's
 * counts do not go with its bounds there are no buckets.
 */
bool classic_buckets_next(struct classic_buckets *walk, struct classic_bucket *bucket);

#endif
