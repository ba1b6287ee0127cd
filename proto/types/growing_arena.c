#include "proto/types/growing_arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

#define PIECE_SIZE ((size_t)16 * 1024)

struct growing_arena_piece {
    struct growing_arena_piece *next;
    size_t capacity;
};

static bool add_piece(struct growing_arena *memory, size_t size)
{
    size_t capacity = size < PIECE_SIZE ? PIECE_SIZE : size;
    struct growing_arena_piece *piece = calloc(1, sizeof *piece + capacity);
    if (piece == NULL)
        return false;
    piece->next = memory->pieces;
    piece->capacity = capacity;
    memory->pieces = piece;
    memory->used = 0;
    return true;
}

void *growing_arena_allocate(struct growing_arena *memory, size_t count, size_t size)
{
    size_t wanted = 0;
    if (!memory->failed && count <= (SIZE_MAX / 2 - 8) / size)
        wanted = (count * size + 7) & ~(size_t)7;
    else
        memory->failed = true;
    if (wanted == 0)
        wanted = 8;
    if (!memory->failed &&
        (memory->pieces == NULL || wanted > memory->pieces->capacity - memory->used))
        memory->failed = !add_piece(memory, wanted);
    if (memory->failed)
        return NULL;
    RULE(memory->pieces->capacity - memory->used >= wanted, "a piece has room for its blocks");
    void *block = (char *)(memory->pieces + 1) + memory->used;
    memory->used += wanted;
    return block;
}

char *growing_arena_text(struct growing_arena *memory, const void *text, size_t length)
{
    char *copy = growing_arena_allocate(memory, length + 1, 1);
    if (copy != NULL && length != 0)
        memcpy(copy, text, length);
    return copy;
}

void growing_arena_free(struct growing_arena *memory)
{
    while (memory->pieces != NULL) {
        struct growing_arena_piece *next = memory->pieces->next;
        free(memory->pieces);
        memory->pieces = next;
    }
    *memory = (struct growing_arena){0};
}
