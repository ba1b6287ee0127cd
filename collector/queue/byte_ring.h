/*
 * A bounded queue of bytes between two threads: what is put in with one call comes out in order,
 * taken in pieces as the consumer likes, and is seen by it all at once.
 *
 * One producer, one consumer; neither waits for the other. All memory is taken at creation.
 */
#ifndef SLUICE_COLLECTOR_QUEUE_BYTE_RING_H
#define SLUICE_COLLECTOR_QUEUE_BYTE_RING_H

#include <stdbool.h>
#include <stddef.h>

struct byte_ring;

/* Room for `capacity` bytes (at least 1). Returns NULL where memory is short. */
struct byte_ring *byte_ring_create(size_t capacity);

/* NULL is allowed. */
void byte_ring_destroy(struct byte_ring *ring);

struct byte_part {
    const void *bytes;
    size_t size;
};

/* Producer: whether so many bytes would fit now; later they do all the more. */
bool byte_ring_has_room(const struct byte_ring *ring, size_t size);

/* Producer: copies the parts, one after the other. Returns false, nothing put, without room. */
bool byte_ring_put(struct byte_ring *ring, const struct byte_part *parts, size_t count);

/* Producer: nothing more will come. */
void byte_ring_close(struct byte_ring *ring);

/* Another producer may put from now on: after the one that closed it, and before it puts. */
void byte_ring_open_again(struct byte_ring *ring);

/* Consumer: whether there is nothing at this moment; whether there never will be anything. */
bool byte_ring_is_empty(const struct byte_ring *ring);
bool byte_ring_is_finished(const struct byte_ring *ring);

/* Consumer: takes `size` bytes, which must be there. */
void byte_ring_take(struct byte_ring *ring, void *to, size_t size);

#endif
