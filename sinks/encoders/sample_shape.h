/*
 * The names that a sink gives to samples: rename=, rename_label=, keep_label= and drop_label=
 * (collector/ sample_rules.h). Each applies to the sent name, so no name is changed twice, and a
 * dropped label was not renamed before. The labels of add_label= follow a sample's own
 * (sample_labels.h). Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H

#include "collector/contract/sample_rules.h"

/* Replaces a metric's name by its new one, if it has one, which lives as long as the rules. */
void sample_shape_name(const struct sample_rules *rules, struct text *name);

/*
 * The same for a label's key. Returns false if the label is dropped. Adds its steps to *steps
 * (glob.h); the result is invalid if they exceed `limit`.
 */
bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit);

#endif
