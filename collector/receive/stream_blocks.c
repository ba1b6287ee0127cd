#include "collector/receive/stream_blocks.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"

struct stream_blocks {
    struct mutex *lock; /* guards the blocks and the shares */
    size_t waiting;
    size_t poor; /* number of waiting connections whose host has no block */
    uint8_t *memory;
    size_t count, size;
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
    blocks->memory = malloc(count * size); /* the system adds pages when they are first used */
    if (blocks->lock == NULL || blocks->memory == NULL) {
        stream_blocks_destroy(blocks);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        blocks->free[blocks->free_count++] = blocks->memory + i * size;
    blocks->count = count;
    blocks->size = size;
    return blocks;
}

void stream_blocks_destroy(struct stream_blocks *blocks)
{
    if (blocks == NULL)
        return;
    RULE(blocks->free_count == blocks->count, "all blocks are released before they are freed");
    mutex_destroy(blocks->lock);
    free(blocks->memory);
    free(blocks);
}

/* --- the caller has the lock ------------------------------------------------------------------ */

static void share_add(struct stream_blocks *blocks, struct stream_share *share)
{
    if (share->blocks++ != 0)
        return;
    RULE(blocks->poor >= share->waiting, "connections that wait for a first block are counted");
    blocks->poor -= share->waiting;
}

static void share_remove(struct stream_blocks *blocks, struct stream_share *share)
{
    RULE(share->blocks != 0, "a block is released by the share that acquired it");
    if (--share->blocks == 0)
        blocks->poor += share->waiting;
}

static uint8_t *take_last(struct stream_blocks *blocks, struct stream_share *share)
{
    RULE(blocks->free_count != 0, "only a free block is acquired");
    share_add(blocks, share);
    return blocks->free[--blocks->free_count];
}

static bool may_have(const struct stream_blocks *blocks, const struct stream_share *share,
                     bool waits)
{
    if (share->blocks == 0)
        return blocks->free_count != 0 && (waits || blocks->poor == 0);
    return blocks->free_count > blocks->poor + share->blocks && (waits || share->waiting == 0);
}

static void wait_for_one(struct stream_blocks *blocks, struct stream_share *share, bool *waits)
{
    if (*waits)
        return;
    *waits = true;
    blocks->waiting++;
    blocks->poor += share->blocks == 0;
    share->waiting++;
}

static void stop_waiting(struct stream_blocks *blocks, struct stream_share *share, bool *waits)
{
    if (!*waits)
        return;
    RULE(blocks->waiting != 0 && share->waiting != 0, "a connection that waits is counted");
    *waits = false;
    blocks->waiting--;
    blocks->poor -= share->blocks == 0;
    share->waiting--;
}

/* ---------------------------------------------------------------------------------------------- */

uint8_t *stream_blocks_acquire(struct stream_blocks *blocks, struct stream_share *share,
                               bool *waits)
{
    uint8_t *block = NULL;
    mutex_lock(blocks->lock);
    if (may_have(blocks, share, *waits)) {
        stop_waiting(blocks, share, waits);
        block = take_last(blocks, share);
    } else {
        wait_for_one(blocks, share, waits);
    }
    mutex_unlock(blocks->lock);
    return block;
}

void stream_blocks_stop_waiting(struct stream_blocks *blocks, struct stream_share *share,
                                bool *waits)
{
    if (!*waits)
        return;
    mutex_lock(blocks->lock);
    stop_waiting(blocks, share, waits);
    mutex_unlock(blocks->lock);
}

uint8_t *stream_blocks_try(struct stream_blocks *blocks, struct stream_share *share)
{
    uint8_t *block = NULL;
    mutex_lock(blocks->lock);
    if (may_have(blocks, share, false))
        block = take_last(blocks, share);
    mutex_unlock(blocks->lock);
    return block;
}

uint8_t *stream_blocks_move(struct stream_blocks *blocks, struct stream_share *share)
{
    uint8_t *block = NULL;
    mutex_lock(blocks->lock);
    if (blocks->free_count != 0)
        block = take_last(blocks, share);
    mutex_unlock(blocks->lock);
    return block;
}

void stream_blocks_release(struct stream_blocks *blocks, struct stream_share *share, uint8_t *block)
{
    if (block == NULL)
        return;
    RULE(block >= blocks->memory && block < blocks->memory + blocks->count * blocks->size,
         "a block is released to the blocks that it came from");
    mutex_lock(blocks->lock);
    RULE(blocks->free_count < blocks->count, "a block is released once");
    blocks->free[blocks->free_count++] = block;
    share_remove(blocks, share);
    mutex_unlock(blocks->lock);
}

void stream_blocks_transfer(struct stream_blocks *blocks, struct stream_share *from,
                            struct stream_share *to, bool holds, bool waits)
{
    mutex_lock(blocks->lock);
    stop_waiting(blocks, from, &(bool){waits});
    if (holds) {
        share_remove(blocks, from);
        share_add(blocks, to);
    }
    if (waits)
        wait_for_one(blocks, to, &(bool){false});
    mutex_unlock(blocks->lock);
}

bool stream_blocks_are_short(struct stream_blocks *blocks)
{
    mutex_lock(blocks->lock);
    bool host_waits_for_itself = blocks->waiting > blocks->poor;
    bool are_short = host_waits_for_itself || (blocks->poor != 0 && blocks->free_count == 0);
    mutex_unlock(blocks->lock);
    return are_short;
}

enum stream_blocks_demand stream_blocks_demand(struct stream_blocks *blocks,
                                               const struct stream_share *share)
{
    enum stream_blocks_demand demand = STREAM_BLOCKS_ENOUGH;
    mutex_lock(blocks->lock);
    if (blocks->poor != 0 && blocks->free_count == 0)
        demand = share->blocks > 1 ? STREAM_BLOCKS_WANTED_FIRST : STREAM_BLOCKS_WANTED;
    else if (share->waiting != 0)
        demand = STREAM_BLOCKS_WANTED;
    mutex_unlock(blocks->lock);
    return demand;
}
