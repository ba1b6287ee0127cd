/*
 * What the status page is told: once a second the ledger, how things stand, the health, the senders
 * and what was counted in that second; and at first the last hour, what the words mean, and the
 * settings.
 *
 * It keeps the hour itself (history.h), whether somebody looks or not. The events are those of a
 * stream of server-sent events (HTML Living Standard, 9.2), each with one line of JSON.
 *
 * Lifecycle: create, then due and look in the main thread's loop, write when somebody is there,
 * destroy before the pipeline. Main thread.
 */
#ifndef SLUICE_COLLECTOR_STATUS_STATUS_H
#define SLUICE_COLLECTOR_STATUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/config/config.h"
#include "collector/health/health_watch.h"
#include "collector/text/output.h"

struct pipeline;
struct status;

struct status_options {
    const char *version; /* of the program; a literal */
    struct pipeline *pipeline;
    const struct health_watch *health; /* outlives it, as the pipeline and the next do */
    const struct config_registry *registry;
    const struct config *config; /* until the next is set */
};

/* `options` is copied. Returns NULL where memory is short. */
struct status *status_create(const struct status_options *options);
/* NULL is allowed. */
void status_destroy(struct status *status);

/*
 * Bytes that it takes with a configuration, most of them for the history. It has a series for each
 * listener and sink of the first one, within bounds (history.h): of a --memory that is set, series
 * beyond the least take an eighth at most.
 */
size_t status_memory(const struct config *config);

/* A reload has put another configuration in place of the last one, which is not read any more. */
void status_set_config(struct status *status, const struct config *config);

/* When (monotonic nanoseconds) to look. */
int64_t status_due(const struct status *status);

/* Looks, where it is due. Returns whether there is news, an event for those who are there. */
bool status_look(struct status *status, int64_t now_ns);

/* Appends the event of the last look; it has the settings where they changed since the one before.
 */
void status_write_now(struct status *status, struct output *out);

/* Appends the events that somebody who comes now gets first. */
void status_write_first(struct status *status, struct output *out);

#endif
