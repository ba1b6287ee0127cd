/* Sinks, with a queue to each from every producer; made at start or while others run. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H

#include <stddef.h>

struct config;
struct error;
struct pipeline;
struct producer;
struct sink_slot;

/*
 * Makes the sink at `index` of a configuration with a queue from each producer. It is not opened,
 * and the fan-outs do not know it yet. Returns NULL with `error` filled on failure.
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

/* For a sink that was offered no record: removes its entry from the ledger. */
void pipeline_cancel_entry(struct pipeline *pipeline, struct sink_slot *slot);

#endif
