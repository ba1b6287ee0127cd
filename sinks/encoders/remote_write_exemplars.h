/*
 * The exemplars of a sample, for remote write: each belongs to one of the sample's series, that of
 * the bucket that has its value if the buckets are series.
 *
 * Their labels are trace_id and span_id, in hexadecimal, and those that were sent, as far as all
 * together have at most 128 characters (OpenMetrics 1.0, "Exemplars"). Belongs to one encoder and
 * is used by its thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_EXEMPLARS_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_EXEMPLARS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/* If a sample has more, its record is too large. */
#define REMOTE_WRITE_MOST_EXEMPLARS 256

struct remote_write_exemplars {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    int64_t time_ns; /* used for exemplars without a time */
    size_t count, next;
    struct sample_exemplar list[REMOTE_WRITE_MOST_EXEMPLARS]; /* by value, then time */
};

/*
 * Begins with the exemplars of a sample. `out` overflows if there are too many. `labels` is used
 * again for the exemplars' labels, so the sample's own labels must have been read before.
 */
void remote_write_exemplars_begin(struct remote_write_exemplars *exemplars,
                                  struct sample_labels *labels, const struct record *record,
                                  const struct sample *sample, int64_t time_ns,
                                  struct output *out);

/*
 * Appends the exemplars with a value of at most `bound` that were not appended before, by time, as
 * fields SAMPLE_EXEMPLAR (remote_write_sample.h). The bounds of several calls ascend; NAN: all.
 */
void remote_write_exemplars_put(struct remote_write_exemplars *exemplars, double bound,
                                struct output *out);

#endif
