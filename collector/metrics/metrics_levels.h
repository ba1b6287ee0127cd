/* Writes the present states of listeners, sinks and batches (pipeline_levels.h) as metrics. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_LEVELS_H
#define SLUICE_COLLECTOR_METRICS_METRICS_LEVELS_H

#include <stdint.h>

#include "collector/metrics/metrics_text.h"
#include "collector/pipeline/pipeline_levels.h"

/* Writes listeners, sinks and batches; `now_ns` is monotonic. */
void metrics_levels_write(struct metrics_text *text, const struct pipeline_levels *levels,
                          int64_t now_ns);

#endif
