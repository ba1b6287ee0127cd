/*
 * A block of samples as one exposition of OpenMetrics 1.0: families are contiguous, and in each its
 * metrics, and of each metric its points by time, and "# EOF".
 *
 * Used by the sink's thread. Allocates no memory.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_ARRANGE_H

#include "collector/base/arena.h"
#include "collector/contract/encoder.h"

/* The end of an exposition. */
#define OPENMETRICS_END "# EOF\n"

/*
 * Appends the exposition of a block (sinks/encoders/openmetrics_sample.h), whose samples take at
 * most ARRANGED_SIZE bytes of a file. The block is changed; `scratch` has ENCODER_SCRATCH_SIZE
 * bytes, which are not used afterwards. Returns the numbers of written and omitted samples: of a
 * metric's points in one millisecond all but the last are omitted, and so are those of a family for
 * which there is no name (sinks/README.md).
 */
struct encoded openmetrics_arrange(struct arena *scratch, char *block, size_t size,
                                   struct output *out);

#endif
