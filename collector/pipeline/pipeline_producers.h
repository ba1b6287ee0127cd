/* The producers: what fills batches for listeners, receivers or what a source has for itself. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H

#include <stddef.h>

#include "collector/output/fan_out.h"

struct error;
struct listener_config;
struct pipeline;
struct producer;
struct source;

/* Threads of a source that has its own. */
size_t pipeline_threads_of(const struct listener_config *listener);

/* Sockets of a listener; 0: it has none. */
size_t pipeline_sockets_of(const struct listener_config *listener);

/*
 * What fills batches for a source: the number of its producers, and the one at `index`. One that is
 * served by receivers has one for each of its sockets, perhaps the same; another one has its own.
 */
size_t pipeline_producers_of(const struct source *source);
struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t index);

/* Counts the listeners of each producer. */
void pipeline_count_listeners(struct pipeline *pipeline);

/*
 * Takes a place for a producer of so many threads: a vacant one that has as many, and from which
 * no sink still has batches, or a new one.
 */
struct producer *pipeline_claim_producer(struct pipeline *pipeline, size_t threads);

/*
 * Makes what so many threads have that is not there, with a fan-out that has no sinks yet. Returns
 * 0, or -1 with `error` filled.
 */
int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           enum fan_out_waiting waiting, struct error *error);

/* The same for a source that has its own: its place is taken. */
int pipeline_make_own(struct pipeline *pipeline, struct producer *producer, struct source *source,
                      struct error *error);

/* Makes what its threads run. Returns as above. */
int pipeline_create_producer(struct pipeline *pipeline, struct producer *producer,
                             struct error *error);

/* Of one that was not started: nothing will come of it. */
void pipeline_close_producer(struct producer *producer);
void pipeline_destroy_producer(struct producer *producer);

/* Of one that was not started, or has finished: its place is vacant. */
void pipeline_vacate_producer(struct pipeline *pipeline, struct producer *producer);

#endif
