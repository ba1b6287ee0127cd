#include "collector/queue/byte_ring.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/machine.h"

#define CACHE_LINE 64

/*
 * `taken` and `put` count bytes and never wrap in practice. The index of a byte is its count modulo
 * the capacity.
 */
struct byte_ring {
    size_t capacity;
    alignas(CACHE_LINE) _Atomic uint64_t taken; /* written by the consumer */
    alignas(CACHE_LINE) _Atomic uint64_t put;   /* written by the producer */
    _Atomic bool closed;
    uint8_t bytes[];
};

struct byte_ring *byte_ring_create(size_t capacity)
{
    RULE(capacity != 0, "a ring has bytes");
    size_t size = sizeof(struct byte_ring) + capacity;
    size_t lines = (size + CACHE_LINE - 1) / CACHE_LINE;
    struct byte_ring *ring = aligned_memory_create(CACHE_LINE, lines * CACHE_LINE);
    if (ring == NULL)
        return NULL;
    ring->capacity = capacity;
    atomic_init(&ring->taken, 0);
    atomic_init(&ring->put, 0);
    atomic_init(&ring->closed, false);
    return ring;
}

void byte_ring_destroy(struct byte_ring *ring)
{
    aligned_memory_destroy(ring);
}

bool byte_ring_has_room(const struct byte_ring *ring, size_t size)
{
    uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    return size <= ring->capacity - (size_t)(put - atomic_load(&ring->taken));
}

static void copy_in(struct byte_ring *ring, uint64_t position, const struct byte_part *part)
{
    size_t at = (size_t)(position % ring->capacity);
    size_t first = part->size < ring->capacity - at ? part->size : ring->capacity - at;
    if (first != 0)
        memcpy(ring->bytes + at, part->bytes, first);
    if (part->size > first)
        memcpy(ring->bytes, (const uint8_t *)part->bytes + first, part->size - first);
}

bool byte_ring_put(struct byte_ring *ring, const struct byte_part *parts, size_t count)
{
    uint64_t position = atomic_load_explicit(&ring->put, memory_order_relaxed);
    size_t size = 0;
    RULE(!atomic_load_explicit(&ring->closed, memory_order_relaxed),
         "a closed ring takes no bytes");
    for (size_t i = 0; i < count; i++)
        size += parts[i].size;
    if (!byte_ring_has_room(ring, size))
        return false;
    for (size_t i = 0; i < count; i++) {
        copy_in(ring, position, &parts[i]);
        position += parts[i].size;
    }
    atomic_store(&ring->put, position);
    return true;
}

void byte_ring_close(struct byte_ring *ring)
{
    atomic_store(&ring->closed, true);
}

void byte_ring_open_again(struct byte_ring *ring)
{
    atomic_store(&ring->closed, false);
}

bool byte_ring_is_empty(const struct byte_ring *ring)
{
    return atomic_load(&ring->put) == atomic_load_explicit(&ring->taken, memory_order_relaxed);
}

bool byte_ring_is_finished(const struct byte_ring *ring)
{
    return atomic_load(&ring->closed) && byte_ring_is_empty(ring);
}

void byte_ring_take(struct byte_ring *ring, void *to, size_t size)
{
    uint64_t position = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    RULE(size <= atomic_load(&ring->put) - position, "only bytes that were put are taken");
    size_t at = (size_t)(position % ring->capacity);
    size_t first = size < ring->capacity - at ? size : ring->capacity - at;
    if (first != 0)
        memcpy(to, ring->bytes + at, first);
    if (size > first)
        memcpy((uint8_t *)to + first, ring->bytes, size - first);
    atomic_store(&ring->taken, position + size);
}
