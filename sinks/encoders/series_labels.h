/*
 * Prepares the labels of a sample's series as Prometheus requires them: names converted to its
 * alphabet, no name twice, no empty labels, ordered byte by byte.
 *
 * If labels have the same name after the conversion, their values are joined by ";", in the order
 * of their sent keys (OpenTelemetry, "Prometheus and OpenMetrics Compatibility", "Metric
 * Attributes"). Of labels with the same key the first counts.
 *
 * The labels are prepared once for a sample, and read for each of its series; a histogram has one
 * for each bucket. For one encoder, in its thread. The texts are in the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_SERIES_LABELS_H
#define SLUICE_SINKS_ENCODERS_SERIES_LABELS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/encoders/sample_labels.h"

/* The labels of a sample, __name__, and `le` or `quantile`. */
#define SERIES_MOST_LABELS (MAX_LABELS + 2)

/*
 * Memory for names, generated values and joined values: the names that fit in a datagram fit. It is
 * the end of the scratch memory; the rest is for texts that are being made (sample_encoder.c).
 */
#define SERIES_TEXTS_SIZE ((size_t)128 * 1024)

struct series_labels {
    struct output texts; /* memory of the caller; emptied for each sample */
    bool own;            /* the format adds a label */
    size_t count;   /* number of entries in `list`; the first two are __name__ and the format's own
                       label, even if unused */
    size_t ordered; /* number of labels in `order`, all with different names */
    size_t joined;  /* number of labels of the sample that were joined to another */
    struct series_label {
        struct text key; /* as sent */
        struct text name, value;
        uint16_t next; /* next label with the same name; 0 means none */
    } list[SERIES_MOST_LABELS];
    uint16_t order[SERIES_MOST_LABELS];
};

/* Takes SERIES_TEXTS_SIZE bytes from the end of an encoder's scratch memory. */
void series_labels_init(struct series_labels *labels, struct arena *scratch);

/*
 * Prepares the labels of the sample. `own` is the name of the label that the format adds, or NULL.
 * `out` overflows if the record takes too many steps (sample_labels.h) or has too many labels, or
 * if the texts do not fit in the memory.
 */
void series_labels_prepare(struct series_labels *labels, struct sample_labels *walk,
                           const struct record *record, const struct sample *sample,
                           const char *own, struct output *out);

struct series_pair {
    struct text name, value; /* a value may have ill-formed UTF-8 */
    bool is_name;            /* __name__; the value is the metric's name in ASCII */
    bool is_own;             /* the format's own label; it has no value here */
};

/* Reads the next label in order; *at must be 0 at first. Returns false at the end. */
bool series_labels_next(const struct series_labels *labels, size_t *at, struct series_pair *pair);

#endif
