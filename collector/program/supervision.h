/*
 * Reports to the service manager: that the run is ready, reloads or stops, its rate of datagrams,
 * and that no thread is stuck.
 *
 * Lifecycle: create, begin when everything runs, then due and serve in the main thread's loop,
 * destroy. All functions accept NULL, which means that there is no service manager. A failed
 * report is logged, and is not repeated before the next one is due. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SUPERVISION_H
#define SLUICE_COLLECTOR_PROGRAM_SUPERVISION_H

#include <stdint.h>

#include "collector/pipeline/pipeline.h"

struct supervision;

/*
 * Creates the supervision; called before any child is started. Returns NULL if there is no service
 * manager, or on failure.
 */
struct supervision *supervision_create(void);
void supervision_destroy(struct supervision *supervision);

/* Reports that the run is ready. The pipeline outlives the supervision. */
void supervision_begin(struct supervision *supervision, struct pipeline *pipeline);

/* Report that a reload begins, and that it has ended. During a stop they report nothing. */
void supervision_reloading(struct supervision *supervision);
void supervision_reloaded(struct supervision *supervision);

/*
 * Reports that the pipeline stops within `most_ns`. Does nothing if that is INT64_MAX: the time is
 * not known.
 */
void supervision_stopping(struct supervision *supervision, int64_t most_ns);

/* Returns the time (monotonic) of the next report, or INT64_MAX. */
int64_t supervision_due(const struct supervision *supervision);

/* Sends the reports that are due. */
void supervision_serve(struct supervision *supervision, int64_t now_ns);

#endif
