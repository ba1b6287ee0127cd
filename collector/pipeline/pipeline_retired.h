/*
 * Keeps the sinks, listeners and configurations that a reload has removed, and frees each of them
 * when it has ended. Owns the retired sinks.
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

/* The configuration of a reload; exists as long as any part uses it. */
struct generation {
    struct generation *next;
    struct config *config; /* owned */
    size_t slots;          /* number of existing sinks that were made from it */
};

/*
 * Closes the sink's queues. The sink writes the records that are left in its queues until the
 * deadline.
 */
void pipeline_retire_sink(struct pipeline *pipeline, struct sink_slot *slot, int64_t deadline_ns);

/* Returns true if `slot` is not open yet because it waits for the spill that `before` uses. */
bool pipeline_waits_for_spill(const struct sink_slot *slot, const struct sink_slot *before);

/* Returns true while receivers have sockets of removed listeners. */
bool pipeline_sockets_leave(const struct pipeline *pipeline);

/*
 * Returns true while the producer of the removed `source` has not ended; NULL stands for any
 * removed source.
 */
bool pipeline_producer_leaves(const struct pipeline *pipeline, const struct source *source);

/*
 * Frees removed parts that have ended, and opens the sinks that waited for the end of a removed
 * sink.
 */
void pipeline_look_after(struct pipeline *pipeline);

/* Frees the configurations that no part uses; with `all`, every configuration. */
void pipeline_free_generations(struct pipeline *pipeline, bool all);

/* Returns true if all removed parts have ended. */
bool pipeline_is_quiescent(const struct pipeline *pipeline);

#endif
