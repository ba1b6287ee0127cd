/*
 * Memory that grows in pieces, is zeroed, and is freed all at once. For a set of types, whose parts
 * have the same lifetime. One thread.
 */
#ifndef SLUICE_PROTO_TYPES_GROWING_ARENA_H
#define SLUICE_PROTO_TYPES_GROWING_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct growing_arena {
    struct growing_arena_piece *pieces;
    size_t used; /* bytes used in the newest piece */
    bool failed; /* an allocation failed; all later ones are refused */
};

/*
 * Allocates `count` zeroed elements of `size` bytes, aligned to 8 bytes. Returns NULL if memory is
 * short; with `count` 0 the result is a valid pointer.
 */
void *growing_arena_allocate(struct growing_arena *memory, size_t count, size_t size);

/* Returns a copy of `length` bytes, followed by a NUL; NULL if memory is short. */
char *growing_arena_text(struct growing_arena *memory, const void *text, size_t length);

void growing_arena_free(struct growing_arena *memory);

#endif
