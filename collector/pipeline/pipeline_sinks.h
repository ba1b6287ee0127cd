/* Sinks, with a way to each from every producer, also where they are made while others run. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_SINKS_H

#include <stddef.h>

struct config;
struct error;
struct pipeline;
struct producer;
struct sink_slot;

/*
 * Makes the sink at `index` of a configuration, with a queue from each producer, neither opened nor
 * fed. Returns NULL with `error` filled.
 */
struct sink_slot *pipeline_make_sink(struct pipeline *pipeline, const struct config *whole,
                                     size_t index, size_t capacity, struct error *error);

/*
 * Connects a sink, which may run, with a producer that has taken its place. Returns 0, or -1 with
 * `error` filled.
 */
int pipeline_connect_sink(struct pipeline *pipeline, struct sink_slot *slot,
                          const struct producer *producer, size_t capacity, struct error *error);
void pipeline_destroy_sink(struct sink_slot *slot);

/* Of one that was made and offered nothing: the ledger is as if it had not been. */
void pipeline_cancel_entry(struct pipeline *pipeline, struct sink_slot *slot);

#endif
