/*
 * The labels of a sample, or of an exemplar, as a JSON object. No key stands in it twice: two that
 * are ill-formed in different ways look the same and are the same (see sample_labels.h).
 */
#ifndef SLUICE_SINKS_ENCODERS_JSON_LABELS_H
#define SLUICE_SINKS_ENCODERS_JSON_LABELS_H

#include "sinks/encoders/sample_labels.h"

/*
 * Appends the labels of the sample, or of the exemplar where it is not NULL. `out` overflows also
 * where the record takes too many steps, or where a text does not fit the scratch arena.
 */
void json_labels_write(struct sample_labels *labels, const struct record *record,
                       const struct sample *sample, const struct sample_exemplar *exemplar,
                       struct output *out);

#endif
