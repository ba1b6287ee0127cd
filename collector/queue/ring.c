#include "collector/queue/ring.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/machine.h"

#define CACHE_LINE 64

/*
 * `head` and `tail` count items and never wrap in practice (64 bits). The slot of an item is its
 * count modulo the number of slots. Each side keeps a copy of the other side's count, and reads the
 * count itself only if the ring is full or empty according to the copy. In a steady flow the two
 * sides therefore share only the cache lines of the slots.
 */
struct ring {
    alignas(CACHE_LINE) _Atomic size_t head; /* items taken; written by the consumer */
    size_t known_tail;                       /* the consumer's copy of `tail` */
    alignas(CACHE_LINE) _Atomic size_t tail; /* items pushed; written by the producer */
    size_t known_head;                       /* the producer's copy of `head` */
    alignas(CACHE_LINE) _Atomic bool closed;
    size_t capacity;
    size_t mask;
    void **slots;
};

struct ring *ring_create(size_t capacity)
{
    RULE(capacity != 0, "a ring has slots");
    size_t slots = 1;
    while (slots < capacity)
        slots *= 2;
    struct ring *ring = aligned_memory_create(CACHE_LINE, sizeof *ring);
    if (ring == NULL)
        return NULL;
    memset(ring, 0, sizeof *ring);
    ring->capacity = capacity;
    ring->mask = slots - 1;
    ring->slots = calloc(slots, sizeof *ring->slots);
    if (ring->slots == NULL) {
        aligned_memory_destroy(ring);
        return NULL;
    }
    return ring;
}

void ring_destroy(struct ring *ring)
{
    if (ring == NULL)
        return;
    free(ring->slots);
    aligned_memory_destroy(ring);
}

bool ring_push(struct ring *ring, void *item)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail - ring->known_head == ring->capacity) {
        ring->known_head = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (tail - ring->known_head == ring->capacity)
            return false;
    }
    ring->slots[tail & ring->mask] = item;
    atomic_store(&ring->tail, tail + 1);
    return true;
}

void ring_close(struct ring *ring)
{
    atomic_store(&ring->closed, true);
}

void ring_open_again(struct ring *ring)
{
    atomic_store(&ring->closed, false);
}

void *ring_pop(struct ring *ring)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == ring->known_tail) {
        ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (head == ring->known_tail)
            return NULL;
    }
    void *item = ring->slots[head & ring->mask];
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return item;
}

/*
 * Moves the remaining items towards `end`, which frees slots at the head. The producer neither
 * reads nor writes the slots from head to tail, so the consumer may move items.
 */
static void close_gaps(struct ring *ring, size_t head, size_t end)
{
    RULE(end - head <= ring->capacity, "a ring has no more items than slots");
    size_t to = end;
    for (size_t from = end; from-- != head;) {
        void *item = ring->slots[from & ring->mask];
        if (item != NULL)
            ring->slots[--to & ring->mask] = item;
    }
    atomic_store_explicit(&ring->head, to, memory_order_release);
}

void ring_take_out(struct ring *ring, size_t most, const struct ring_choice *choice)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    size_t at = head;
    ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    for (; at != ring->known_tail && most != 0; at++) {
        void **slot = &ring->slots[at & ring->mask];
        if (!choice->chosen(choice->context, *slot))
            continue;
        choice->take(choice->context, *slot);
        *slot = NULL;
        most--;
    }
    close_gaps(ring, head, at);
}

bool ring_finished(struct ring *ring)
{
    /* Read `closed` first: if it is set, all items pushed before the close are visible. */
    return atomic_load(&ring->closed) && ring_level(ring) == 0;
}

size_t ring_level(const struct ring *ring)
{
    /*
     * Read `head` first: if it were read second, the consumer could by then have moved it beyond
     * the value read from `tail`.
     */
    size_t head = atomic_load(&ring->head);
    size_t tail = atomic_load(&ring->tail);
    return tail - head;
}

size_t ring_capacity(const struct ring *ring)
{
    return ring->capacity;
}
