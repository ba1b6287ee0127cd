/*
 * The labels of a sample's series as Prometheus requires them: names converted to its alphabet,
 * each name once, no empty ones, ordered byte by byte.
 *
 * If labels have one name after the conversion, their values are joined by ";", in the order of the
 * keys that were sent (OpenTelemetry, "Prometheus and OpenMetrics Compatibility", "Metric
 * Attributes"). Of labels with the same key the first counts.
 *
 * They are prepared once for a sample and read for each of its series (a histogram has one for each
 * bucket). Belongs to one encoder and is used by its thread; the texts are in the caller's memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_SERIES_LABELS_H
#define SLUICE_SINKS_ENCODERS_SERIES_LABELS_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "collector/text/text.h"
#include "sinks/encoders/sample_labels.h"

/* The labels of a sample, and in addition __name__, and le or quantile. */
#define SERIES_MOST_LABELS (MAX_LABELS + 2)

/*
 * The memory of the texts: names, generated values and joined values. It is taken from the end of
 * the scratch memory; all names that fit in a datagram fit. The rest is for texts under
 * construction (sample_encoder.c).
 */
#define SERIES_TEXTS_SIZE ((size_t)128 * 1024)

struct series_labels {
    struct output texts; /* memory supplied by the owner; emptied for each sample */
    bool own;            /* the format adds a label of its own */
    size_t count;        /* entries in use in `list`; the first two are __name__ and the format's
                            own label, even if it has none */
    size_t ordered;      /* labels in `order`, each with another name */
    size_t joined;       /* labels of the sample that were joined to another */
    struct series_label {
        struct text key; /* as sent */
        struct text name, value;
        uint16_t next; /* the next label with this name; 0: there is none */
    } list[SERIES_MOST_LABELS];
    uint16_t order[SERIES_MOST_LABELS];
};

/* Takes SERIES_TEXTS_SIZE bytes for the texts from the end of an encoder's scratch memory. */
void series_labels_init(struct series_labels *labels, struct arena *scratch);

/*
 * Prepares the labels of the sample, in addition to a label `own` of the format's own (NULL: none).
 * `out` overflows if the record takes too many steps (sample_labels.h) or has too many labels, or
 * if they do not fit in the memory.
 */
void series_labels_prepare(struct series_labels *labels, struct sample_labels *walk,
                           const struct record *record, const struct sample *sample,
                           const char *own, struct output *out);

struct series_pair {
    struct text name, value; /* a value may have ill-formed UTF-8 */
    bool is_name;            /* __name__, with the metric's name, in ASCII */
    bool is_own;             /* the label of the format's own, without a value */
};

/* Reads the next label in order; *at is 0 at first. Returns false at the end. */
bool series_labels_next(const struct series_labels *labels, size_t *at, struct series_pair *pair);

#endif
