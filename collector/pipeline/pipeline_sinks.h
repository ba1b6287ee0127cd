/* Makes sinks, and a queue from every producer to each sink, at start or during a reload. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H

#include <stddef.h>

struct config;
struct error;
struct pipeline;
struct producer;
struct sink_slot;

/*
 * Makes the sink at `index` of a configuration with a queue from each producer. Does not open the
 * sink or add it to the fan-outs. Returns NULL with `error` filled on failure.
 */
struct sink_slot *pipeline_make_sink(struct pipeline *pipeline, const struct config *whole,
                                     size_t index, size_t capacity, struct error *error);

/*
 * Connects a sink, which may be running, with a newly claimed producer. Returns 0, or -1 with
 * `error` filled.
 */
int pipeline_connect_sink(struct pipeline *pipeline, struct sink_slot *slot,
                          const struct producer *producer, size_t capacity, struct error *error);
void pipeline_destroy_sink(struct sink_slot *slot);

/* Removes the ledger entry of a sink that was offered no record. */
void pipeline_cancel_entry(struct pipeline *pipeline, struct sink_slot *slot);

#endif
