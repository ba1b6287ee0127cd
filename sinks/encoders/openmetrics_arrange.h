/*
 * Makes one exposition of OpenMetrics 1.0 from a block of samples. The samples of a family are
 * adjacent. Within a family the samples of each metric are adjacent, ordered by time. "# EOF" is at
 * the end. For the sink's thread. Allocates no memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H

#include "collector/base/arena.h"
#include "collector/contract/encoder.h"

#define OPENMETRICS_END "# EOF\n"

/*
 * Appends the exposition of a block (sinks/encoders/openmetrics_sample.h), whose samples take at
 * most ARRANGED_SIZE bytes of a file. Modifies the block. `scratch` has ENCODER_SCRATCH_SIZE bytes,
 * which are free afterwards. Returns the numbers of written and omitted samples.
 *
 * If a metric has several points in one millisecond, all but the last are omitted. The samples of a
 * family whose name conflicts with another are omitted if no other name can be found
 * (sinks/README.md).
 */
struct encoded openmetrics_arrange(struct arena *scratch, char *block, size_t size,
                                   struct output *out);

#endif
