/*
 * The ring of batches between one receiving thread and one sink, and how listeners share it.
 *
 * Single producer, single consumer, as the ring beneath. Large batches are few: a queue holds only
 * BATCH_QUEUE_LARGE of them, so that a sink that stands still cannot keep those of all. Where
 * several listeners feed one queue, a listener that already waits in it may hold at most half of
 * the slots still free (and as much of the large ones), so that a flooded one cannot crowd out
 * another. Batches of several listeners count together, as those of one.
 *
 * A producer that would rather lose the oldest than the newest asks for room when a slot may soon
 * be missing, and the consumer takes the oldest batches out: of all, or of the listener whose share
 * is spent, or of the large ones, as what is missing would have it. Until it has done so a push is
 * refused as ever.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H
#define SLUICE_COLLECTOR_QUEUE_BATCH_QUEUE_H

#include "collector/record/batch.h"

/* Large batches that a queue takes at most. */
#define BATCH_QUEUE_LARGE 4

/* Listener indexes are below this. */
#define BATCH_QUEUE_LISTENERS 4096

/* Each queue may later be given a capacity of at least this many batches: 256 MiB. */
#define BATCH_QUEUE_ROOM 4096

struct batch_queue;

enum queue_result { QUEUE_TAKEN, QUEUE_FULL, QUEUE_SHARE_SPENT };

/*
 * `capacity` batches; listener indexes are below `listeners`; `shared`: several listeners feed it.
 * Returns NULL where memory is short.
 */
struct batch_queue *batch_queue_create(size_t capacity, size_t listeners, bool shared);
void batch_queue_destroy(struct batch_queue *queue);

/*
 * While the producer is quiescent: listener indexes are below `listeners` from now on, and whether
 * several feed it. Returns false, nothing changed that counts, where memory is short or they are
 * too many.
 */
bool batch_queue_set_listeners(struct batch_queue *queue, size_t listeners, bool shared);

/*
 * The same: it takes no more than `capacity` batches from now on, nor more than it was created for
 * or BATCH_QUEUE_ROOM, the larger of the two; what waits in it already stays.
 */
void batch_queue_set_capacity(struct batch_queue *queue, size_t capacity);

/*
 * Producer: whether the queue has a place for this batch, or why not. QUEUE_TAKEN stays true until
 * the producer's next push, for the consumer only makes room.
 */
enum queue_result batch_queue_ask(struct batch_queue *queue, const struct batch *batch);

/*
 * Producer: the same of a batch that cannot wait: any place will do that the queue has, or had
 * before it shrank, whatever its listener's share and the part of large ones. The pool bounds how
 * many these can become.
 */
bool batch_queue_has_place(const struct batch_queue *queue);

/*
 * Producer, after batch_queue_ask has answered QUEUE_TAKEN, or batch_queue_has_place true: hands
 * over one of the batch's readers.
 */
void batch_queue_push(struct batch_queue *queue, struct batch *batch);

/*
 * Producer, after a push that took the batch or `refused` it: asks for room where the next one like
 * it may find none. That is when the queue (or its part of large ones) is full but for an eighth,
 * or the listener's share is spent; of a listener that holds a single batch the share is in its way
 * only once it was refused, for there may be no next one. Returns whether the consumer has to be
 * woken: it was not since it last looked.
 */
bool batch_queue_want_room(struct batch_queue *queue, const struct batch *batch, bool refused);

/* Producer: nothing more will come. */
void batch_queue_close(struct batch_queue *queue);

/*
 * Of a queue that is finished, and whose producer is gone: another producer may push from now on.
 * The main thread, before that producer starts, and while the consumer has another queue open.
 */
void batch_queue_open_again(struct batch_queue *queue);

/* Consumer: the oldest batch, or NULL. */
struct batch *batch_queue_pop(struct batch_queue *queue);

/* Consumer: the batch that comes after so many others, which stays there; NULL: there is none. */
const struct batch *batch_queue_peek(struct batch_queue *queue, size_t after);

/*
 * Consumer: where room was asked for and is still missing, takes out the oldest quarter of what is
 * in its way (at least one) and hands each of those batches to `take`, who releases it. Returns
 * whether it was asked for.
 */
typedef void batch_taker(void *context, struct batch *batch);
bool batch_queue_make_room(struct batch_queue *queue, batch_taker *take, void *context);

/* Any thread: closed and empty. */
bool batch_queue_finished(struct batch_queue *queue);

/* Either side: nothing in it (see ring_level). */
bool batch_queue_is_empty(const struct batch_queue *queue);

/* Any thread: batches in it, and of them the large ones, at about this moment; and its capacity. */
size_t batch_queue_level(const struct batch_queue *queue);
size_t batch_queue_large_level(const struct batch_queue *queue);
size_t batch_queue_capacity(const struct batch_queue *queue);

/* Producer: how full it is, of batches or of large ones, from 0 to 1. */
double batch_queue_fill(const struct batch_queue *queue);

#endif
