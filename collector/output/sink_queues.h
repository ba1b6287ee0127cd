/*
 * The queues of one sink, one for each producer.
 *
 * The main thread adds queues, also while the sink's thread takes batches: it publishes a longer
 * list, and keeps the former list until the end, because the sink's thread may still read it.
 * Producers own the other ends of the queues. The sink's thread owns the batches that it takes.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_QUEUES_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_QUEUES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/output/sink_thread.h"
#include "collector/queue/batch_queue.h"

struct queue_list;

/* All zero means that there are no queues. */
struct sink_queues {
    struct queue_list *_Atomic list; /* NULL if there are no queues */
    size_t next;                     /* index of the next queue to take from; only for the sink's
                                        thread */
};

/* Main thread: adds a queue. Returns NULL if memory is short. sink_queues_clear frees the queue. */
struct batch_queue *sink_queues_add(struct sink_queues *queues, size_t capacity, size_t listeners,
                                    bool shared);

/* Frees all queues. No other thread may use them any more. */
void sink_queues_clear(struct sink_queues *queues);

/* --- the sink's thread ------------------------------------------------------------------------ */

/* Takes the next batch, from the queues in turn. Returns NULL if all queues are empty. */
struct batch *sink_queues_take(struct sink_queues *queues);

/*
 * Takes the oldest batches out of the queues whose producers have requested room, and passes
 * ownership of each batch to `evict`. Returns true if a producer has requested room.
 */
bool sink_queues_make_room(struct sink_queues *queues, void (*evict)(void *, struct batch *),
                           void *context);

bool sink_queues_are_empty(const struct sink_queues *queues);

/* Returns true if all queues are empty and closed. */
bool sink_queues_have_finished(const struct sink_queues *queues);

/* Returns true if more than the fraction `share` of the capacity of any queue is used. */
bool sink_queues_exceed(const struct sink_queues *queues, double share);

/* --- the main thread -------------------------------------------------------------------------- */

/* Implements sink_thread_queue_levels. */
struct queue_levels sink_queues_levels(const struct sink_queues *queues);

#endif
