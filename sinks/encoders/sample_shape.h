/*
 * The names that a sink gives to samples: rename=, rename_label=, keep_label= and drop_label=
 * (collector/contract/sample_rules.h). Each rule applies to the name as sent, so no name is changed
 * twice, and keep_label= and drop_label= do not see new names. The labels of add_label= follow a
 * sample's own (sample_labels.h). Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H

#include "collector/contract/sample_rules.h"

/*
 * Replaces a metric's name by its new name, if the rules have one. The new name lives as long as
 * the rules.
 */
void sample_shape_name(const struct sample_rules *rules, struct text *name);

/*
 * Replaces a label's key by its new key. Returns false if the label is dropped. Adds the steps
 * taken to *steps (glob.h). The result is invalid if *steps exceeds `limit`.
 */
bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit);

#endif
