#include "proto/types/region.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_SIZE ((size_t)16 * 1024)

struct region_piece {
    struct region_piece *next;
    size_t capacity;
};

static bool add_piece(struct region *region, size_t size)
{
    size_t capacity = size < PIECE_SIZE ? PIECE_SIZE : size;
    struct region_piece *piece = calloc(1, sizeof *piece + capacity);
    if (piece == NULL)
        return false;
    piece->next = region->pieces;
    piece->capacity = capacity;
    region->pieces = piece;
    region->used = 0;
    return true;
}

void *region_allocate(struct region *region, size_t count, size_t size)
{
    size_t wanted = 0;
    if (!region->failed && count <= (SIZE_MAX / 2 - 8) / size)
        wanted = (count * size + 7) & ~(size_t)7;
    else
        region->failed = true;
    if (wanted == 0)
        wanted = 8;
    if (!region->failed &&
        (region->pieces == NULL || wanted > region->pieces->capacity - region->used))
        region->failed = !add_piece(region, wanted);
    if (region->failed)
        return NULL;
    void *block = (char *)(region->pieces + 1) + region->used;
    region->used += wanted;
    return block;
}

char *region_text(struct region *region, const void *text, size_t length)
{
    char *copy = region_allocate(region, length + 1, 1);
    if (copy != NULL && length != 0)
        memcpy(copy, text, length);
    return copy;
}

void region_free(struct region *region)
{
    while (region->pieces != NULL) {
        struct region_piece *next = region->pieces->next;
        free(region->pieces);
        region->pieces = next;
    }
    *region = (struct region){0};
}
