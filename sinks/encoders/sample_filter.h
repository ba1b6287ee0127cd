/*
 * Selects the samples that a sink keeps: include=, exclude= and sample=
 * (collector/contract/sample_rules.h), applied to a sample as sent, before renaming.
 *
 * Of two labels with one key the first counts, as everywhere. A label that a sample does not have
 * matches no glob. Stateless; on the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H

#include "collector/contract/sample_rules.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Returns whether the sample is kept. Also returns false if `out` overflows because the record
 * takes too many steps (sample_labels.h), which include those of globs.
 *
 * A share of 1/N keeps the series whose hash (series_hash.h) is at most the N-th part of the
 * largest hash. So the share is the same in all runs and on all machines, and 1/10 keeps every
 * series that 1/100 keeps.
 */
bool sample_filter_keeps(const struct sample_rules *rules, struct sample_labels *labels,
                         const struct record *record, const struct sample *sample,
                         struct output *out);

#endif
