/*
 * Applies a sink's rules for names: rename=, rename_label=, keep_label= and drop_label=
 * (collector/contract/sample_rules.h). Each rule applies to the name as sent, so no name is changed
 * twice, and keep_label= and drop_label= do not see new names. The labels of add_label= follow
 * those of the sample (sample_labels.h). Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H

#include "collector/contract/sample_rules.h"

/* If the rules rename the metric, replaces its name. The new name lives as long as the rules. */
void sample_shape_name(const struct sample_rules *rules, struct text *name);

/*
 * If the rules rename the label, replaces its key. Returns false if the label is dropped. Adds the
 * steps taken to *steps (glob.h). The result is invalid if *steps exceeds `limit`.
 */
bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit);

#endif
