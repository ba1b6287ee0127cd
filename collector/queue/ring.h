/*
 * A bounded queue of pointers between two threads.
 *
 * Single producer, single consumer, no locks; a push never blocks. The caller handles a full ring,
 * and sleeps by its own means while the ring is empty. The ring does not own its items.
 *
 * Push, close and level are sequentially consistent with each other and with the caller's own
 * sequentially consistent atomics. If a consumer sets "asleep" and then checks for an empty ring,
 * and a producer pushes and then reads "asleep", at least one of the two sees the other's write.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_RING_H
#define SLUICE_COLLECTOR_QUEUE_RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring;

/* Creates a ring for at most `capacity` (≥ 1) items. Returns NULL if out of memory. */
struct ring *ring_create(size_t capacity);
void ring_destroy(struct ring *ring);

/* Producer: appends `item`. Returns false if the ring is full. */
bool ring_push(struct ring *ring, void *item);

/* Producer: announces that no more pushes follow. */
void ring_close(struct ring *ring);

/* Opens a closed ring for another producer, after the last one has ended. */
void ring_open_again(struct ring *ring);

/* Consumer: takes the oldest item. Returns NULL if the ring is empty. */
void *ring_pop(struct ring *ring);

/*
 * Consumer: removes at most `most` items for which `chosen` returns true, the oldest first, and
 * passes each to `take`. The remaining items stay in order. `chosen` is called at most once for
 * each item; neither function may call the ring.
 */
struct ring_choice {
    bool (*chosen)(void *context, void *item);
    void (*take)(void *context, void *item);
    void *context;
};
void ring_take_out(struct ring *ring, size_t most, const struct ring_choice *choice);

/* Any thread: returns true if the ring is closed and the consumer has taken all items. */
bool ring_finished(struct ring *ring);

/*
 * Producer or consumer: returns the number of items in the ring. It includes the caller's own
 * changes; the other side's latest changes may be missing.
 */
size_t ring_level(const struct ring *ring);
size_t ring_capacity(const struct ring *ring);

#endif
