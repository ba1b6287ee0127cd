/*
 * The labels of a sample, or of an exemplar, as a JSON object. No key stands in it twice: of
 * two labels with the same key the first one counts. Keys are compared as they were written: two
 * that are ill-formed in different ways look the same then.
 *
 * Belongs to one encoder and is used by its thread. Nothing to free.
 */
#ifndef SLUICE_SINKS_JSON_LABELS_H
#define SLUICE_SINKS_JSON_LABELS_H

#include "collector/batch.h"
#include "collector/schema.h"
#include "collector/text/output.h"

/*
 * What one record may cost, so that a datagram made for it cannot keep a sink busy: where a sample
 * has more different labels than this, or where telling a record's labels apart takes more steps
 * (one for each label, for each comparison, for eight bytes of each key in them, and for each byte
 * of a text that had to be made), the record is too large. That is some 20 ms. A sample's labels
 * that differ and fit a datagram take fewer; a thousand samples of twenty labels take some 60,000.
 */
#define JSON_MAX_LABELS      1024
#define JSON_MAX_LABEL_STEPS 8000000

/* A key as it was written, its quotes and colon with it: where it is in the output. */
struct json_written_key {
    size_t at;
    size_t size;
};

struct json_labels {
    struct arena *scratch; /* for texts that have to be made */
    size_t steps;          /* of the record in hand */
    struct json_written_key keys[JSON_MAX_LABELS];
};

/* Begins a record: its steps are counted from here on. `scratch` must live until its last label. */
void json_labels_begin(struct json_labels *labels, struct arena *scratch);

/*
 * Appends the labels of the sample, or of the exemplar where it is not NULL. `out` overflows also
 * where the record takes too many steps, or where a text does not fit the scratch arena.
 */
void json_labels_write(struct json_labels *labels, const struct record *record,
                       const struct sample *sample, const struct sample_exemplar *exemplar,
                       struct output *out);

#endif
