/*
 * What the main thread reports to the service manager of a run: that it is ready, reloads, stops,
 * how much comes in, and that all threads come round.
 *
 * Lifecycle: create, begin when all runs, then due and serve in the main thread's loop, destroy.
 * All of them do nothing for NULL, which is what there is where nobody watches. What
 * cannot be reported is logged, and reported again when it is its turn again. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SUPERVISION_H
#define SLUICE_COLLECTOR_PROGRAM_SUPERVISION_H

#include <stdint.h>

#include "collector/pipeline/pipeline.h"

struct supervision;

/* Before any child is started. Returns NULL where nobody watches, or can be reached. */
struct supervision *supervision_create(void);
void supervision_destroy(struct supervision *supervision);

/* The pipeline, which outlives this, runs: says that all is ready. */
void supervision_begin(struct supervision *supervision, struct pipeline *pipeline);

/* The configuration is being read anew; it has been. Once it stops nothing is said. */
void supervision_reloading(struct supervision *supervision);
void supervision_reloaded(struct supervision *supervision);

/* The pipeline stops, which is to take so long; INT64_MAX: nobody knows, and nothing is said. */
void supervision_stopping(struct supervision *supervision, int64_t most_ns);

/* When (monotonic) there is something to report; INT64_MAX: nothing is. */
int64_t supervision_due(const struct supervision *supervision);

/* Tells what is due. */
void supervision_serve(struct supervision *supervision, int64_t now_ns);

#endif
