/*
 * The labels of a sample's series as Prometheus takes them: names made to fit its alphabet, as the
 * format prometheus does it, each name once, none empty, in the order of their bytes.
 *
 * They are prepared once for a sample, and written for each of its series (a histogram has one for
 * each bucket) with the name of that series and a label of the format's own. Belongs to one encoder
 * and is used by its thread; the texts lie in memory of the caller's.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_LABELS_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_LABELS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/encoders/sample_labels.h"

/* Those of a sample, __name__, and le or quantile. */
#define REMOTE_WRITE_MOST_LABELS (MAX_LABELS + 2)

struct remote_write_labels {
    struct output texts; /* the memory, which the owner supplies; emptied for each sample */
    bool own;            /* there is one of the format's own */
    size_t count;
    struct remote_write_label {
        struct text name, value;
    } list[REMOTE_WRITE_MOST_LABELS + 1]; /* and one that may be there already */
    uint16_t order[REMOTE_WRITE_MOST_LABELS + 1];
};

/*
 * Prepares the labels of the sample, beside a label `own` of the format's own (NULL: none). `out`
 * overflows where the record takes too many steps (sample_labels.h), has too many labels, or they
 * do not fit the memory.
 */
void remote_write_labels_prepare(struct remote_write_labels *labels, struct sample_labels *walk,
                                 const struct record *record, const struct sample *sample,
                                 const char *own, struct output *out);

/*
 * Appends those of one series: called as the sample with this suffix, and with `own` as the value
 * of the format's own label (NULL: without it). Returns how many.
 */
size_t remote_write_labels_put(struct remote_write_labels *labels, const char *suffix,
                               const struct text *own, struct output *out);

#endif
