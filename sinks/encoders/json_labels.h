/*
 * Writes the labels of a sample or an exemplar as a JSON object. No key occurs twice. Different
 * ill-formed keys may become the same JSON, and then count as one key (sample_labels.h).
 */
#ifndef SLUICE_SINKS_ENCODERS_JSON_LABELS_H
#define SLUICE_SINKS_ENCODERS_JSON_LABELS_H

#include "sinks/encoders/sample_labels.h"

/*
 * Appends the labels of the exemplar, or of the sample if `exemplar` is NULL. `out` overflows also
 * if the record takes too many steps, or if a text does not fit in the scratch arena.
 */
void json_labels_write(struct sample_labels *labels, const struct record *record,
                       const struct sample *sample, const struct sample_exemplar *exemplar,
                       struct output *out);

#endif
