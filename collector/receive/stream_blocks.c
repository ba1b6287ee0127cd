#include "collector/receive/stream_blocks.h"

#include <stdlib.h>

#include "collector/platform/mutex.h"

struct stream_blocks {
    struct mutex *lock; /* taken once a large frame */
    size_t waiting;     /* for a block */
    uint8_t *memory;
    size_t free_count;
    uint8_t *free[];
};

size_t stream_blocks_memory(size_t count, size_t size)
{
    return sizeof(struct stream_blocks) + count * (size + sizeof(uint8_t *));
}

struct stream_blocks *stream_blocks_create(size_t count, size_t size)
{
    struct stream_blocks *blocks = calloc(1, sizeof *blocks + count * sizeof(uint8_t *));
    if (blocks == NULL)
        return NULL;
    blocks->lock = mutex_create();
    blocks->memory = malloc(count * size); /* pages come with the first large frames */
    if (blocks->lock == NULL || blocks->memory == NULL) {
        stream_blocks_destroy(blocks);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        blocks->free[blocks->free_count++] = blocks->memory + i * size;
    return blocks;
}

void stream_blocks_destroy(struct stream_blocks *blocks)
{
    if (blocks == NULL)
        return;
    mutex_destroy(blocks->lock);
    free(blocks->memory);
    free(blocks);
}

static uint8_t *take_last(struct stream_blocks *blocks)
{
    return blocks->free[--blocks->free_count];
}

static void stop_waiting(struct stream_blocks *blocks, bool *waits)
{
    blocks->waiting -= *waits;
    *waits = false;
}

uint8_t *stream_blocks_take(struct stream_blocks *blocks, bool *waits)
{
    uint8_t *block = NULL;
    mutex_lock(blocks->lock);
    if (blocks->free_count != 0 && (*waits || blocks->waiting == 0)) {
        block = take_last(blocks);
        stop_waiting(blocks, waits);
    } else if (!*waits) {
        blocks->waiting++;
        *waits = true;
    }
    mutex_unlock(blocks->lock);
    return block;
}

void stream_blocks_stop_waiting(struct stream_blocks *blocks, bool *waits)
{
    if (!*waits)
        return;
    mutex_lock(blocks->lock);
    stop_waiting(blocks, waits);
    mutex_unlock(blocks->lock);
}

uint8_t *stream_blocks_take_spare(struct stream_blocks *blocks)
{
    uint8_t *block = NULL;
    mutex_lock(blocks->lock);
    if (blocks->free_count != 0 && blocks->waiting == 0)
        block = take_last(blocks);
    mutex_unlock(blocks->lock);
    return block;
}

void stream_blocks_give(struct stream_blocks *blocks, uint8_t *block)
{
    if (block == NULL)
        return;
    mutex_lock(blocks->lock);
    blocks->free[blocks->free_count++] = block;
    mutex_unlock(blocks->lock);
}

bool stream_blocks_are_short(struct stream_blocks *blocks)
{
    mutex_lock(blocks->lock);
    bool are_short = blocks->waiting != 0 && blocks->free_count == 0;
    mutex_unlock(blocks->lock);
    return are_short;
}
