/*
 * What a reload has taken away: sinks, listeners and configurations, until their end. From
 * pipeline_retire_sink on the sink is this file's, which frees it once its thread has ended.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_RETIRED_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_RETIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct pipeline;
struct sink_slot;
struct source;

/* A configuration that a reload has brought, owned, as long as parts of it are in use. */
struct generation {
    struct generation *next;
    struct config *config;
    size_t slots; /* that were made from it */
};

/* The sink is offered nothing more: it writes what it has, until the deadline. */
void pipeline_retire_sink(struct pipeline *pipeline, struct sink_slot *slot, int64_t deadline_ns);

/* Whether it is not open yet, and has the spill of another one that still is. */
bool pipeline_waits_for_spill(const struct sink_slot *slot, const struct sink_slot *before);

/* Whether receivers still have sockets of listeners that were taken away. */
bool pipeline_sockets_leave(const struct pipeline *pipeline);

/*
 * Whether what a source has for itself, or any of them (NULL), has not come to its end since a
 * reload took the listener away.
 */
bool pipeline_producer_leaves(const struct pipeline *pipeline, const struct source *source);

/* Frees what has come to its end, and opens what has waited for that. */
void pipeline_look_after(struct pipeline *pipeline);

/* Once no retired sink holds any: there are as many batches as the plan says. */
void pipeline_give_back_batches(struct pipeline *pipeline);

/* Frees the configurations that nobody uses any more, or all. */
void pipeline_free_generations(struct pipeline *pipeline, bool all);

/* Whether nothing is left that has not come to its end. */
bool pipeline_is_quiescent(const struct pipeline *pipeline);

#endif
