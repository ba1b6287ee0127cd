/*
 * Selects the samples that a sink keeps: include=, exclude= and sample=
 * (collector/contract/sample_rules.h). Applies to a sample as sent, before renaming. Of several
 * labels with one key the first counts. A missing label matches no glob. For the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_FILTER_H

#include "collector/contract/sample_rules.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Returns true if the sample is kept. Returns false also if `out` overflows because the record
 * takes too many steps (sample_labels.h), which include those of globs.
 *
 * sample=1/N keeps the series whose hash (series_hash.h) is at most 1/N of the maximum hash. So it
 * selects the same series in all runs and on all machines, and 1/10 keeps every series that 1/100
 * keeps.
 */
bool sample_filter_keeps(const struct sample_rules *rules, struct sample_labels *labels,
                         const struct record *record, const struct sample *sample,
                         struct output *out);

#endif
