/*
 * Allocates zeroed memory in pieces, and frees them all at once. Used for a set of types, which all
 * have the same lifetime. One thread.
 */
#ifndef SLUICE_PROTO_TYPES_GROWING_ARENA_H
#define SLUICE_PROTO_TYPES_GROWING_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct growing_arena {
    struct growing_arena_piece *pieces;
    size_t used; /* bytes, in the newest piece */
    bool failed; /* an allocation has failed; all later ones fail, too */
};

/*
 * Allocates `count` zeroed elements of `size` bytes, aligned to 8 bytes. Returns NULL if memory is
 * short, but a valid pointer if `count` is 0.
 */
void *growing_arena_allocate(struct growing_arena *memory, size_t count, size_t size);

/* Returns a copy of `length` bytes and a NUL, or NULL if memory is short. */
char *growing_arena_text(struct growing_arena *memory, const void *text, size_t length);

void growing_arena_free(struct growing_arena *memory);

#endif
