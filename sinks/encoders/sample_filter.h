/*
 * Which samples a sink keeps: include=, exclude= and sample= (collector/contract/sample_rules.h),
 * asked of a sample as it was sent, before anything of it is called otherwise.
 *
 * Of two labels with one key the first counts, as everywhere. A label that a sample does not have
 * matches no glob. Stateless; on the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H

#include "collector/contract/sample_rules.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Whether the sample is kept. False also where `out` overflows: the record takes too many steps
 * (sample_labels.h), which globs count on.
 *
 * A share of the series is kept by their hashes (series_hash.h): where that is no more than the
 * N-th part of the largest. So it is the same one in all runs and on all machines, and what 1/100
 * keeps 1/10 keeps, too.
 */
bool sample_filter_keeps(const struct sample_rules *rules, struct sample_labels *labels,
                         const struct record *record, const struct sample *sample,
                         struct output *out);

#endif
