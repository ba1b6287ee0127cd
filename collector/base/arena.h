/*
 * Allocates memory by moving a pointer, and frees all of it at once.
 *
 * An arena does not own its memory. Blocks are aligned to 8 bytes (enough for the structures of
 * protobuf-c; 16 would make records a tenth larger). One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_BASE_ARENA_H
#define SLUICE_COLLECTOR_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_ALIGNMENT 8u

struct arena {
    uint8_t *base;   /* aligned to ARENA_ALIGNMENT */
    size_t used;     /* bytes */
    size_t capacity; /* bytes */
    bool exhausted;  /* a block was refused since the flag was last cleared */
    bool retried;    /* set by the owner: if a block does not fit, the owner will try again with a
                      * larger arena */
};

/*
 * Returns `size` bytes (not NULL for 0 bytes). If they do not fit, returns NULL and sets
 * `exhausted`.
 */
static inline void *arena_allocate(struct arena *arena, size_t size)
{
    size_t left = arena->capacity - arena->used;
    size_t rounded = (size + (ARENA_ALIGNMENT - 1)) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (rounded < size || rounded > left) {
        arena->exhausted = true;
        return NULL;
    }
    void *block = arena->base + arena->used;
    arena->used += rounded;
    return block;
}

#endif
