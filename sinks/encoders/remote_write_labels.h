/*
 * The labels of a sample's series as Prometheus requires them: names converted to its alphabet,
 * like in the format prometheus, each name once, no empty ones, ordered byte by byte.
 *
 * They are prepared once for a sample, and written for each of its series (a histogram has one for
 * each bucket) with the name of that series and a label of the format's own. Belongs to one encoder
 * and is used by its thread; the texts are in the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_LABELS_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_LABELS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/encoders/sample_labels.h"

/* The labels of a sample, and in addition __name__, and le or quantile. */
#define REMOTE_WRITE_MOST_LABELS (MAX_LABELS + 2)

struct remote_write_labels {
    struct output texts; /* memory supplied by the owner; emptied for each sample */
    bool own;            /* the format adds a label of its own */
    size_t count;
    struct remote_write_label {
        struct text name, value;
    } list[REMOTE_WRITE_MOST_LABELS + 1]; /* the last entry is for a label that may already be in
                                             the list */
    uint16_t order[REMOTE_WRITE_MOST_LABELS + 1];
};

/*
 * Prepares the labels of the sample, in addition to a label `own` of the format's own (NULL: none).
 * `out` overflows if the record takes too many steps (sample_labels.h) or has too many labels, or
 * if they do not fit in the memory.
 */
void remote_write_labels_prepare(struct remote_write_labels *labels, struct sample_labels *walk,
                                 const struct record *record, const struct sample *sample,
                                 const char *own, struct output *out);

/*
 * Appends the labels of one series, with the sample's name and this suffix, and with `own` as the
 * value of the format's own label (NULL: without that label). Returns their number.
 */
size_t remote_write_labels_put(struct remote_write_labels *labels, const char *suffix,
                               const struct text *own, struct output *out);

#endif
