/*
 * Watches the health of a run: stores the pipeline's counts periodically, and reports. The metrics
 * server and the control service share one watch.
 *
 * Lifecycle: create, then due and look in the main thread's loop, report on request, destroy before
 * the pipeline. All functions accept NULL, for a run without both services. Main thread.
 */
#ifndef SLUICE_COLLECTOR_HEALTH_HEALTH_WATCH_H
#define SLUICE_COLLECTOR_HEALTH_HEALTH_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/health/health.h"
#include "collector/text/output.h"

struct health_watch;
struct pipeline;

/*
 * The pipeline outlives the watch; `stall_timeout_ns` is as in health_create. Returns NULL if
 * memory is short.
 */
struct health_watch *health_watch_create(struct pipeline *pipeline, int64_t stall_timeout_ns);
void health_watch_destroy(struct health_watch *watch);

/* Returns when (monotonic) to call health_watch_look; INT64_MAX: never. */
int64_t health_watch_due(const struct health_watch *watch);

/* Stores the counts and checks the receivers, each if due. */
void health_watch_look(struct health_watch *watch, int64_t now_ns);

/* From now on reports the status stopping. */
void health_watch_stop(struct health_watch *watch);

/*
 * Appends the report as health_report does, and sets *status. Returns false without appending if
 * memory is short or `watch` is NULL.
 */
bool health_watch_report(const struct health_watch *watch, struct output *out,
                         enum health_status *status);

#endif
