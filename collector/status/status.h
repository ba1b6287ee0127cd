/*
 * Makes the data of the status page, as events. The first event has the history of the last hour,
 * the meaning of words, and the settings. Each second another event has the ledger, levels, health,
 * senders, and the counts of that second. The events are server-sent events (HTML Living Standard,
 * 9.2), each with one line of JSON. The history (history.h) is also kept while no page is open.
 *
 * Lifecycle: create, then due and look in the main thread's loop, write if there are clients,
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
    const char *version; /* the program's version; a literal */
    struct pipeline *pipeline;
    const struct health_watch *health; /* outlives the status, as do pipeline and registry */
    const struct config_registry *registry;
    const struct config *config; /* used until the next status_set_config */
};

/* Copies `options`. Returns NULL if memory is short. */
struct status *status_create(const struct status_options *options);
/* NULL is allowed. */
void status_destroy(struct status *status);

/*
 * Returns the bytes that the status uses with this configuration. Most are for the history, with a
 * series for each listener and sink of the first configuration, within the limits of history.h.
 * With an explicit --memory the history uses at most an eighth of it, or the least that it needs.
 */
size_t status_memory(const struct config *config);

/* Sets the configuration after a reload; the previous one is no longer used. */
void status_set_config(struct status *status, const struct config *config);

/* Returns when (monotonic) status_look is due. */
int64_t status_due(const struct status *status);

/*
 * Takes a snapshot if it is due. Returns true if it took one; it is then an event for the clients.
 */
bool status_look(struct status *status, int64_t now_ns);

/*
 * Appends the event of the last snapshot, with the settings if they have changed since the snapshot
 * before.
 */
void status_write_now(struct status *status, struct output *out);

/* Appends the events that a new client is sent first. */
void status_write_first(struct status *status, struct output *out);

#endif
