/*
 * What a sink calls what it keeps: rename=, rename_label=, keep_label= and drop_label= (collector/
 * sample_rules.h). Each looks at what was sent, so no name is changed twice, and a label that is
 * dropped was not renamed before. The labels of add_label= come after a sample's own
 * (sample_labels.h). Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_SHAPE_H

#include "collector/contract/sample_rules.h"

/* Gives a metric's name its new one, which lives as long as the rules, where it has one. */
void sample_shape_name(const struct sample_rules *rules, struct text *name);

/*
 * The same of a label's key. Returns false where the label is dropped. Adds its steps to *steps
 * (glob.h), and is wrong where they rise above `limit`.
 */
bool sample_shape_key(const struct sample_rules *rules, struct text *key, size_t *steps,
                      size_t limit);

#endif
