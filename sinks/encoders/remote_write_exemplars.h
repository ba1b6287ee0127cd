/*
 * Writes the exemplars of a sample for remote write. If the sample's buckets are series, each
 * exemplar belongs to the series of the bucket that has its value.
 *
 * The labels of an exemplar are trace_id and span_id, in hexadecimal, and the labels that were
 * sent. Labels with which an exemplar would exceed 128 characters are omitted (OpenMetrics 1.0,
 * "Exemplars"). For one encoder, in its thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_EXEMPLARS_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_EXEMPLARS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/* A record with a sample that has more exemplars is too large. */
#define REMOTE_WRITE_MOST_EXEMPLARS 256

struct remote_write_exemplars {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    int64_t time_ns; /* for exemplars without a time */
    size_t count, next;
    struct sample_exemplar list[REMOTE_WRITE_MOST_EXEMPLARS]; /* ordered by value; a put orders
                                                                 those that it appends by time */
};

/*
 * Begins with the exemplars of a sample. `out` overflows if there are too many. `labels` is reused
 * for the exemplars' labels, so the sample's own labels must have been read before.
 */
void remote_write_exemplars_begin(struct remote_write_exemplars *exemplars,
                                  struct sample_labels *labels, const struct record *record,
                                  const struct sample *sample, int64_t time_ns, struct output *out);

/*
 * Appends the exemplars with a value of at most `bound` (NAN: all) that were not appended before,
 * ordered by time, as fields SAMPLE_EXEMPLAR (remote_write_sample.h). The bounds of consecutive
 * calls must ascend.
 */
void remote_write_exemplars_put(struct remote_write_exemplars *exemplars, double bound,
                                struct output *out);

#endif
