/*
 * The ring of batches between one receiving thread and one sink, and how listeners share it.
 *
 * Single producer, single consumer, like the ring that it uses. Large batches are few: a queue
 * holds only BATCH_QUEUE_LARGE of them, so that a stalled sink cannot keep all of them. If several
 * listeners feed one queue, each has a share, so that a flooded listener cannot crowd out another:
 * a listener that has batches in the queue gets another slot only while it has fewer than half as
 * many batches as there are free slots. The same applies to large batches. Batches with records of
 * several listeners have one share together.
 *
 * A producer that prefers losing the oldest batches to losing the newest requests room when slots
 * run short. The consumer then takes out the oldest batches of the flow that is short of room; a
 * flow is all batches of the queue, its large batches, or those of one listener. Until that is
 * done, pushes are still refused.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H
#define SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H

#include "collector/record/batch.h"

/* The maximum number of large batches that a queue holds. */
#define BATCH_QUEUE_LARGE 4

/* Each listener's index is below this number. */
#define BATCH_QUEUE_LISTENERS 4096

/* The capacity of each queue can later be raised to at least this many batches: 256 MiB. */
#define BATCH_QUEUE_ROOM 4096

struct batch_queue;

enum queue_result { QUEUE_TAKEN, QUEUE_FULL, QUEUE_SHARE_SPENT };

/*
 * `capacity` is in batches; listener indexes are below `listeners`; `shared`: several listeners
 * feed it. Returns NULL if out of memory.
 */
struct batch_queue *batch_queue_create(size_t capacity, size_t listeners, bool shared);
void batch_queue_destroy(struct batch_queue *queue);

/*
 * Sets the limit of listener indexes, which never shrinks, and whether several listeners feed the
 * queue. The producer must be quiescent. Returns false, with both unchanged, if out of memory or if
 * `listeners` is above BATCH_QUEUE_LISTENERS.
 */
bool batch_queue_set_listeners(struct batch_queue *queue, size_t listeners, bool shared);

/*
 * Sets the capacity, limited to the larger of the capacity at creation and BATCH_QUEUE_ROOM.
 * Batches already in the queue stay. Only one thread sets it, at any time.
 */
void batch_queue_set_capacity(struct batch_queue *queue, size_t capacity);

/*
 * Sets how many large batches the queue takes, from 1 to BATCH_QUEUE_LARGE, which is the limit at
 * creation. As batch_queue_set_capacity otherwise.
 */
void batch_queue_set_large(struct batch_queue *queue, size_t limit);

/*
 * Producer: whether the queue has a slot for this batch, or why not. QUEUE_TAKEN stays valid until
 * the producer's next push, because the consumer only frees slots.
 */
enum queue_result batch_queue_ask(struct batch_queue *queue, const struct batch *batch);

/*
 * Producer: whether the queue has a slot for a batch that cannot wait. Only the largest capacity so
 * far counts, not the present capacity, the listener's share or the limit of large batches. The
 * pool bounds the number of such batches.
 */
bool batch_queue_has_slot(const struct batch_queue *queue);

/*
 * Producer, after batch_queue_ask returned QUEUE_TAKEN or batch_queue_has_slot true: hands over
 * one reference of the batch.
 */
void batch_queue_push(struct batch_queue *queue, struct batch *batch);

/*
 * Producer, after it pushed the batch, or after the queue `refused` it: requests room if the next
 * such batch may be refused. It may be refused if at most an eighth of the capacity (or of
 * the limit of large batches) is free, or if the listener's share is spent. A spent share of only
 * one batch does not count before a refusal, because the listener may send no further batch.
 * Returns whether the consumer must be woken, because this is the first request since it last
 * checked.
 */
bool batch_queue_want_room(struct batch_queue *queue, const struct batch *batch, bool refused);

/* Producer: no more pushes follow. */
void batch_queue_close(struct batch_queue *queue);

/*
 * Opens a finished queue, whose producer has ended, for another producer. Main thread, before that
 * producer starts, and while the consumer has another queue open.
 */
void batch_queue_open_again(struct batch_queue *queue);

/* Consumer: the oldest batch, or NULL. */
struct batch *batch_queue_pop(struct batch_queue *queue);

/*
 * Consumer: for each flow in which room was requested and is still short, takes out the oldest
 * quarter of the flow's batches, at least one. Passes each batch to `take`, which must release it.
 * Returns whether room was requested.
 */
typedef void batch_taker(void *context, struct batch *batch);
bool batch_queue_make_room(struct batch_queue *queue, batch_taker *take, void *context);

/* Any thread: whether the queue is closed and empty. */
bool batch_queue_finished(struct batch_queue *queue);

/* Either side: whether the queue is empty (see ring_level). */
bool batch_queue_is_empty(const struct batch_queue *queue);

/*
 * Any thread: the approximate number of batches and of large batches in the queue, and its
 * limits for both.
 */
size_t batch_queue_level(const struct batch_queue *queue);
size_t batch_queue_large_level(const struct batch_queue *queue);
size_t batch_queue_capacity(const struct batch_queue *queue);
size_t batch_queue_large_limit(const struct batch_queue *queue);

/*
 * Producer and consumer: the part of the capacity that is used, from 0 to 1: the larger of the
 * fractions for all batches and for large batches.
 */
double batch_queue_backlog(const struct batch_queue *queue);

/*
 * Any thread: how full the queue is, from 0 to 1, for the listener that is closest to its limit. 1:
 * batch_queue_ask refuses this listener's batches. If several listeners share the queue, that
 * happens before all slots are used.
 */
double batch_queue_fill(const struct batch_queue *queue);

#endif
