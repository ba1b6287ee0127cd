/*
 * Memory that grows in pieces, is handed out zeroed, and is given back all at once: what a set of
 * types is made of, since its parts live and die together. One thread.
 */
#ifndef SLUICE_PROTO_TYPES_GROWING_ARENA_H
#define SLUICE_PROTO_TYPES_GROWING_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct growing_arena {
    struct growing_arena_piece *pieces;
    size_t used; /* of the newest piece, bytes */
    bool failed; /* memory was short once; all later blocks are refused */
};

/* `count` zeroed elements of `size` bytes, 8-byte aligned; not NULL for none. NULL: no memory. */
void *growing_arena_allocate(struct growing_arena *memory, size_t count, size_t size);

/* A copy of `length` bytes with a NUL after them, or NULL. */
char *growing_arena_text(struct growing_arena *memory, const void *text, size_t length);

void growing_arena_free(struct growing_arena *memory);

#endif
