/*
 * The bounded queue of batches between one receiving thread and one sink.
 *
 * Single producer, single consumer, no locks; a push never blocks. What to do when it is full, and
 * how to sleep when it is empty, is left to the caller. The ring holds pointers and owns nothing.
 * After ring_close the consumer sees the end once it has taken all that was pushed before.
 *
 * Push, close and level are sequentially consistent with each other and with the caller's own
 * sequentially consistent atomics: a consumer that says "I sleep" and then finds the ring empty,
 * and a producer that pushes and then asks whether it sleeps, cannot both miss the other.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_RING_H
#define SLUICE_COLLECTOR_QUEUE_RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring;

/* A ring for at most `capacity` (≥ 1) items; NULL where memory is short. */
struct ring *ring_create(size_t capacity);
void ring_destroy(struct ring *ring);

/* Producer: appends `item`; false where it is full. */
bool ring_push(struct ring *ring, void *item);

/* Producer: nothing more will come. */
void ring_close(struct ring *ring);

/* Another producer may push from now on: after the one that closed it, and before it pushes. */
void ring_open_again(struct ring *ring);

/* Consumer: the oldest item, or NULL where it is empty. */
void *ring_pop(struct ring *ring);

/* Consumer: the item that comes after so many others, which stays there; NULL: there is none. */
void *ring_peek(struct ring *ring, size_t after);

/*
 * Consumer: takes out what `chosen` says of the items that are there, the oldest first, `most` at
 * the most, and hands each to `take`; the others stay, in their order. It looks at each item once.
 * Neither function may call the ring.
 */
struct ring_choice {
    bool (*chosen)(void *context, void *item);
    void (*take)(void *context, void *item);
    void *context;
};
void ring_take_out(struct ring *ring, size_t most, const struct ring_choice *choice);

/* Consumer: closed and everything taken. */
bool ring_finished(struct ring *ring);

/* Either side: items held. Exact for one's own side's changes, a moment old for the other's. */
size_t ring_level(const struct ring *ring);
size_t ring_capacity(const struct ring *ring);

#endif
