/*
 * A histogram, of either kind, as the buckets that Prometheus and Telegraf know: how many of the
 * values are not above a bound, for bounds that ascend. Pure functions; a walk is its caller's.
 *
 * Of all buckets a sink may ask for some (buckets=): what a bound that is left out counted is in
 * the next one, so what each bound has stays as it was.
 */
#ifndef SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H
#define SLUICE_SINKS_ENCODERS_CLASSIC_BUCKETS_H

#include "collector/contract/encoder.h"
#include "collector/contract/schema.h"

struct classic_bucket {
    double bound;   /* finite */
    uint64_t count; /* of it and all buckets below it */
};

/* A place in a walk. */
struct classic_buckets {
    const struct sample *sample;
    uint64_t choice; /* as in struct encoder_options */
    unsigned shift;  /* of an exponential one: 2^shift neighbours are one bucket */
    size_t next;
    double last;    /* bound */
    uint64_t count; /* so far */

    /* BUCKETS_CHANGED: the bucket that comes next, and what the one before it had. */
    struct classic_bucket ahead;
    bool has_ahead, begun;
    uint64_t below;
};

/*
 * `sample` is a SAMPLE_HISTOGRAM or a SAMPLE_EXPONENTIAL_HISTOGRAM and outlives the walk. `choice`
 * is BUCKETS_ALL; BUCKETS_CHANGED, the first bound and those that bound a bucket with values, which
 * leaves every quantile that Prometheus computes as it was; or how many there may be at most, with
 * the last one (BUCKETS_LEAST or more).
 *
 * To have no more, an exponential histogram loses as much of its scale as it takes (OTLP,
 * "Exponential Scale": neighbours become one), and of explicit bounds every so many-th stays:
 * neither looks at the counts, so that a series keeps its bounds from one time to the next.
 */
void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample,
                           uint64_t choice);

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
