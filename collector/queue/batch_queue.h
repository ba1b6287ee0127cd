/*
 * The queue of batches between one receiving thread and one sink.
 *
 * It has a single producer and a single consumer, like the ring in which it stores the batches. The
 * pool has only a few large batches, so a queue holds at most BATCH_QUEUE_LARGE of them. A stalled
 * sink can therefore not keep all of them.
 *
 * If several listeners feed a queue, each has a share, so that a flooded listener cannot crowd out
 * another. A listener that already has batches in the queue gets another slot only while it has
 * fewer than half as many batches as there are free slots. The same applies to large batches.
 * Batches with records of several listeners have one share together.
 *
 * A producer that prefers to lose the oldest batches requests room when slots run short. The
 * consumer then removes the oldest batches of the flow that is short of room. A flow is all batches
 * of the queue, or its large batches, or those of one listener. Until the consumer has done so, the
 * queue still refuses batches.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H
#define SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H

#include "collector/record/batch.h"

/* The maximum number of large batches in a queue. */
#define BATCH_QUEUE_LARGE 4

/* Each listener's index is below this number. */
#define BATCH_QUEUE_LISTENERS 4096

/*
 * The capacity of a queue can be raised to at least this number of batches after its creation. With
 * batches of 64 KiB that is 256 MiB.
 */
#define BATCH_QUEUE_ROOM 4096

struct batch_queue;

enum queue_result { QUEUE_TAKEN, QUEUE_FULL, QUEUE_SHARE_SPENT };

/*
 * Creates a queue of `capacity` batches. Indexes of listeners are below `listeners`. `shared` is
 * true if several listeners feed the queue. Returns NULL if out of memory.
 */
struct batch_queue *batch_queue_create(size_t capacity, size_t listeners, bool shared);
void batch_queue_destroy(struct batch_queue *queue);

/*
 * Raises the limit of listener indexes to `listeners`, and sets whether several listeners feed the
 * queue. A smaller `listeners` does not lower the limit. The producer must be quiescent. Returns
 * false, with both unchanged, if out of memory or if `listeners` exceeds BATCH_QUEUE_LISTENERS.
 */
bool batch_queue_set_listeners(struct batch_queue *queue, size_t listeners, bool shared);

/*
 * Sets the capacity. The upper limit is BATCH_QUEUE_ROOM, or the capacity at creation if that is
 * larger. Batches already in the queue stay. May be called at any time, but only by one thread.
 */
void batch_queue_set_capacity(struct batch_queue *queue, size_t capacity);

/*
 * Sets how many large batches the queue may hold, from 1 to BATCH_QUEUE_LARGE, which is also the
 * initial limit. Threads: as for batch_queue_set_capacity.
 */
void batch_queue_set_large(struct batch_queue *queue, size_t limit);

/*
 * Producer: returns QUEUE_TAKEN if the queue has a slot for this batch, otherwise the reason for
 * which it refuses it. QUEUE_TAKEN stays valid until the producer's next push, because the consumer
 * only frees slots.
 */
enum queue_result batch_queue_ask(struct batch_queue *queue, const struct batch *batch);

/*
 * Producer: returns true if the queue has a slot for a batch that cannot wait. Such a batch may
 * exceed the present capacity, the listener's share and the limit of large batches, but not the
 * largest capacity that the queue has had. The pool bounds the number of such batches.
 */
bool batch_queue_has_slot(const struct batch_queue *queue);

/*
 * Producer: hands over one reference of the batch. batch_queue_ask must have returned QUEUE_TAKEN,
 * or batch_queue_has_slot true.
 */
void batch_queue_push(struct batch_queue *queue, struct batch *batch);

/*
 * Producer: asks the consumer to remove old batches (batch_queue_make_room) if the queue may refuse
 * the next batch of the same listener and size. Call it after a push, or with `refused` after the
 * queue refused the batch.
 *
 * It asks if at most an eighth of the capacity (or of the limit of large batches) is free, or if
 * the listener's share is spent. After a push, it does not ask because of the share of a listener
 * that has a single batch, because that listener may send no further batch. Returns true if the
 * consumer must be woken: this is the first request since its last check.
 */
bool batch_queue_want_room(struct batch_queue *queue, const struct batch *batch, bool refused);

/* Producer: announces that no more pushes follow. */
void batch_queue_close(struct batch_queue *queue);

/*
 * Opens a finished queue for another producer. Main thread, after the last producer has ended,
 * before the next one starts, and while the consumer has another queue open.
 */
void batch_queue_open_again(struct batch_queue *queue);

/* Consumer: removes the oldest batch and returns it, or NULL. */
struct batch *batch_queue_pop(struct batch_queue *queue);

/*
 * Consumer: for each flow that requested room and is still short of it, removes the oldest quarter
 * of its batches, at least one. Passes each batch to `take`, which must release it. Returns true if
 * room was requested.
 */
typedef void batch_taker(void *context, struct batch *batch);
bool batch_queue_make_room(struct batch_queue *queue, batch_taker *take, void *context);

/* Any thread: returns true if the queue is closed and empty. */
bool batch_queue_finished(struct batch_queue *queue);

/* Producer or consumer: returns true if the queue is empty (see ring_level). */
bool batch_queue_is_empty(const struct batch_queue *queue);

/*
 * Any thread: return the approximate number of batches and of large batches in the queue, and its
 * limits for both.
 */
size_t batch_queue_level(const struct batch_queue *queue);
size_t batch_queue_large_level(const struct batch_queue *queue);
size_t batch_queue_capacity(const struct batch_queue *queue);
size_t batch_queue_large_limit(const struct batch_queue *queue);

/*
 * Producer and consumer: returns the used part of the capacity, from 0 to 1: the larger of the
 * fractions for all batches and for large batches.
 */
double batch_queue_backlog(const struct batch_queue *queue);

/*
 * Any thread: returns how full the queue is, from 0 to 1, for the listener that is closest to its
 * limit. At 1 batch_queue_ask refuses this listener's batches. If several listeners share the
 * queue, this happens before all slots are used.
 */
double batch_queue_fill(const struct batch_queue *queue);

#endif
