/* The producers: the threads that fill batches for listeners, of a receiver or of one source. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H

#include <stddef.h>

#include "collector/output/fan_out.h"

struct error;
struct listener_config;
struct pipeline;
struct producer;
struct source;

/* The number of threads of a source that has threads of its own. */
size_t pipeline_threads_of(const struct listener_config *listener);

/* The number of sockets of a listener; may be 0. */
size_t pipeline_sockets_of(const struct listener_config *listener);

/*
 * The producers of a source: their number, and the one at `index`. A source that is served by
 * receivers has one for each of its sockets, possibly the same; any other source has one of its
 * own.
 */
size_t pipeline_producers_of(const struct source *source);
struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t index);

/* Counts the listeners of each producer. */
void pipeline_count_listeners(struct pipeline *pipeline);

/*
 * Claims a producer with room for `threads` threads: a vacant one whose queues the sinks have
 * emptied, or a new one. Returns NULL if there are BATCH_QUEUE_LISTENERS already.
 */
struct producer *pipeline_claim_producer(struct pipeline *pipeline, size_t threads);

/*
 * Allocates the data of `threads` threads, as far as it does not exist yet, and a fan-out without
 * sinks. Returns 0, or -1 with `error` filled.
 */
int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           enum fan_out_waiting waiting, struct error *error);

/* The same for a source with threads of its own; the producer has been claimed for it. */
int pipeline_make_own(struct pipeline *pipeline, struct producer *producer, struct source *source,
                      struct error *error);

/* Creates the producer's object; starts no thread. Returns 0, or -1 with `error` filled. */
int pipeline_create_producer(struct pipeline *pipeline, struct producer *producer,
                             struct error *error);

/* For a producer that was not started: closes its queues, since it will fill no batch. */
void pipeline_close_producer(struct producer *producer);
void pipeline_destroy_producer(struct producer *producer);

/* Makes a producer that was not started, or has finished, vacant: joins and frees its object. */
void pipeline_vacate_producer(struct pipeline *pipeline, struct producer *producer);

#endif
