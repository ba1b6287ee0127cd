/* How a pipeline stands (pipeline_levels.h), as metrics. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_LEVELS_H
#define SLUICE_COLLECTOR_METRICS_METRICS_LEVELS_H

#include <stdint.h>

#include "collector/metrics/metrics_text.h"
#include "collector/pipeline/pipeline_levels.h"

/* Its listeners, sinks and batches at `now_ns` (monotonic). */
void metrics_levels_write(struct metrics_text *text, const struct pipeline_levels *levels,
                          int64_t now_ns);

#endif
