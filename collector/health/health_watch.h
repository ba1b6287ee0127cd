/*
 * Watches the health of a run: stores the pipeline's counts periodically, and reports. The metrics
 * server and the control service share one watch.
 *
 * Lifecycle: create, then due and look in the main thread's loop, report on request, destroy before
 * the pipeline. All functions accept NULL, for a run without these services. Main thread.
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
 * The pipeline must outlive the watch. `stall_timeout_ns` is as in health_create. Returns NULL if
 * out of memory.
 */
struct health_watch *health_watch_create(struct pipeline *pipeline, int64_t stall_timeout_ns);
void health_watch_destroy(struct health_watch *watch);

/* Returns the time (monotonic) of the next health_watch_look, or INT64_MAX for never. */
int64_t health_watch_due(const struct health_watch *watch);

/* Stores the counts and checks the receivers, each if it is due. */
void health_watch_look(struct health_watch *watch, int64_t now_ns);

/* Reports the status stopping from now on. */
void health_watch_stop(struct health_watch *watch);

/*
 * Appends the report like health_report, and sets *status. Returns false, and appends nothing, if
 * out of memory or if `watch` is NULL.
 */
bool health_watch_report(const struct health_watch *watch, struct output *out,
                         enum health_status *status);

#endif
