/*
 * A block of samples as one exposition of OpenMetrics 1.0: families one after the other, in each
 * its metrics one after the other, of each metric its points by their times, and "# EOF".
 *
 * Used by the sink's thread. Allocates nothing.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H

#include "collector/base/arena.h"
#include "collector/contract/encoder.h"

/* What an exposition ends with. */
#define OPENMETRICS_END "# EOF\n"

/*
 * Appends the exposition of a block (sinks/encoders/openmetrics_sample.h), whose samples take at
 * most ARRANGED_SIZE bytes of a file. The block is altered; `scratch` has ENCODER_SCRATCH_SIZE
 * bytes, and keeps nothing in it. Returns what was written, and how many samples are left out:
 * of a metric's points in one millisecond all but the last, and those of a family for which there
 * is no name (sinks/README.md).
 */
struct encoded openmetrics_arrange(struct arena *scratch, char *block, size_t size,
                                   struct output *out);

#endif
