/*
 * A bounded queue of bytes between two threads. The consumer sees all bytes of a put at once, and
 * takes them in order, in pieces of any size.
 *
 * Single producer, single consumer; neither waits for the other. Memory is allocated only at
 * creation.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_BYTE_RING_H
#define SLUICE_COLLECTOR_QUEUE_BYTE_RING_H

#include <stdbool.h>
#include <stddef.h>

struct byte_ring;

/* Creates a ring of `capacity` bytes, at least 1. Returns NULL if out of memory. */
struct byte_ring *byte_ring_create(size_t capacity);

/* NULL is allowed. */
void byte_ring_destroy(struct byte_ring *ring);

struct byte_part {
    const void *bytes;
    size_t size;
};

/*
 * Producer: returns true if `size` bytes fit. The result true stays valid until the producer's next
 * put.
 */
bool byte_ring_has_room(const struct byte_ring *ring, size_t size);

/* Producer: appends a copy of the parts. Returns false, and appends nothing, if they do not fit. */
bool byte_ring_put(struct byte_ring *ring, const struct byte_part *parts, size_t count);

/* Producer: announces that no more puts follow. */
void byte_ring_close(struct byte_ring *ring);

/* Opens a closed ring for another producer, after the last one has ended. */
void byte_ring_open_again(struct byte_ring *ring);

/* Consumer: return whether the ring is empty, and whether it is empty and closed. */
bool byte_ring_is_empty(const struct byte_ring *ring);
bool byte_ring_is_finished(const struct byte_ring *ring);

/* Consumer: copies the next `size` bytes to `to` and frees their room. They must have been put. */
void byte_ring_take(struct byte_ring *ring, void *to, size_t size);

#endif
