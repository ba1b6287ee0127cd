/*
 * Makes and ends the producers: the threads of a receiver or of one source, which fill batches for
 * listeners.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PRODUCERS_H

#include <stddef.h>

#include "collector/output/fan_out.h"

struct error;
struct listener_config;
struct pipeline;
struct producer;
struct source;

/* Returns the number of threads of a source that has threads of its own. */
size_t pipeline_threads_of(const struct listener_config *listener);

/* Returns the number of sockets of a listener; may be 0. */
size_t pipeline_sockets_of(const struct listener_config *listener);

/*
 * pipeline_producers_of returns the number of a source's producers, pipeline_producer_of the one at
 * `index`. A source that receivers serve has a producer for each of its sockets; several sockets
 * may share a producer. Any other source has one producer of its own.
 */
size_t pipeline_producers_of(const struct source *source);
struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t index);

/* Counts the listeners of each producer. */
void pipeline_count_listeners(struct pipeline *pipeline);

/*
 * Claims a producer with room for `threads` threads: a vacant one whose queues the sinks have
 * emptied, or a new one. Returns NULL if all BATCH_QUEUE_LISTENERS producers are in use.
 */
struct producer *pipeline_claim_producer(struct pipeline *pipeline, size_t threads);

/*
 * Allocates the data of `threads` threads unless it exists, and a fan-out without sinks. Returns 0,
 * or -1 with `error` filled.
 */
int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           enum fan_out_waiting waiting, struct error *error);

/*
 * Calls pipeline_make_producer for a source with threads of its own, which has claimed the
 * producer.
 */
int pipeline_make_own(struct pipeline *pipeline, struct producer *producer, struct source *source,
                      struct error *error);

/* Creates the producer's object; starts no thread. Returns 0, or -1 with `error` filled. */
int pipeline_create_producer(struct pipeline *pipeline, struct producer *producer,
                             struct error *error);

/* Closes the queues of a producer that was not started and so will fill no batch. */
void pipeline_close_producer(struct producer *producer);
void pipeline_destroy_producer(struct producer *producer);

/*
 * Joins and frees the object of a producer that was not started or has finished, and makes the
 * producer vacant.
 */
void pipeline_vacate_producer(struct pipeline *pipeline, struct producer *producer);

#endif
