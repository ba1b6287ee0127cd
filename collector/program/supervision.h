/*
 * Reports to the service manager that the run is ready, reloads or stops, its rate of datagrams,
 * and that no thread is stuck.
 *
 * Lifecycle: create, begin when everything runs, then due and serve in the main thread's loop,
 * destroy. All functions accept NULL, which means that there is no service manager. A failed report
 * is logged, and is not repeated before the next report is due. Main thread.
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
 * Reports that the pipeline stops within `most_ns`; INT64_MAX: the time is not known, reports
 * nothing.
 */
void supervision_stopping(struct supervision *supervision, int64_t most_ns);

/* Returns when (monotonic) the next report is due; INT64_MAX: no report is due. */
int64_t supervision_due(const struct supervision *supervision);

/* Reports what is due. */
void supervision_serve(struct supervision *supervision, int64_t now_ns);

#endif
