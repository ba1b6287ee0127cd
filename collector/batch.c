#include "collector/batch.h"

#include <stdlib.h>
#include <string.h>

#include "collector/aligned_memory.h"
#include "collector/schema_list.h"
#include "collector/thread.h"

#define PAGE_ALIGNMENT 4096

struct batch_pool {
    struct mutex *lock; /* guards the free lists and the count; taken once a batch, not a record */
    struct batch *free_small;
    struct batch *free_large;
    size_t out;
    struct batch *batches;
    uint8_t *small_memory;
    uint8_t *large_memory;
};

/* Begins on a page; a size of 0 is allowed. */
static uint8_t *take_memory(size_t count, size_t size)
{
    size_t pages = count * size / PAGE_ALIGNMENT + 1;
    return aligned_memory_create(PAGE_ALIGNMENT, pages * PAGE_ALIGNMENT);
}

struct batch_pool *batch_pool_create(size_t small_count, size_t large_count)
{
    struct batch_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->lock = mutex_create();
    pool->batches = calloc(small_count + large_count + 1, sizeof *pool->batches);
    pool->small_memory = take_memory(small_count, BATCH_SMALL_STRIDE);
    pool->large_memory = take_memory(large_count, BATCH_LARGE_SIZE);
    if (pool->lock == NULL || pool->batches == NULL || pool->small_memory == NULL ||
        pool->large_memory == NULL) {
        batch_pool_destroy(pool);
        return NULL;
    }
    memset(pool->small_memory, 0, small_count * BATCH_SMALL_STRIDE);
    for (size_t i = 0; i < small_count + large_count; i++) {
        struct batch *batch = &pool->batches[i];
        batch->pool = pool;
        batch->large = i >= small_count;
        batch->arena.base = batch->large ? pool->large_memory + (i - small_count) * BATCH_LARGE_SIZE
                                         : pool->small_memory + i * BATCH_SMALL_STRIDE;
        batch->arena.capacity = batch->large ? BATCH_LARGE_SIZE : BATCH_SMALL_SIZE;
        struct batch **list = batch->large ? &pool->free_large : &pool->free_small;
        batch->next_free = *list;
        *list = batch;
    }
    return pool;
}

void batch_pool_destroy(struct batch_pool *pool)
{
    if (pool == NULL)
        return;
    mutex_destroy(pool->lock);
    free(pool->batches);
    aligned_memory_destroy(pool->small_memory);
    aligned_memory_destroy(pool->large_memory);
    free(pool);
}

struct batch *batch_acquire(struct batch_pool *pool, bool large)
{
    mutex_lock(pool->lock);
    struct batch **list = large ? &pool->free_large : &pool->free_small;
    struct batch *batch = *list;
    if (batch != NULL) {
        *list = batch->next_free;
        pool->out++;
    }
    mutex_unlock(pool->lock);
    if (batch == NULL)
        return NULL;
    batch->listener = NULL;
    batch->schemas = NULL;
    batch->first = NULL;
    batch->last = NULL;
    batch->count = 0;
    batch->arena.used = 0;
    batch->arena.exhausted = false;
    atomic_store_explicit(&batch->readers, 1, memory_order_relaxed);
    return batch;
}

void batch_retain(struct batch *batch)
{
    atomic_fetch_add_explicit(&batch->readers, 1, memory_order_relaxed);
}

void batch_release(struct batch *batch)
{
    /* Acquire and release: all readers have done with the memory before it is filled again. */
    if (atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1)
        return;
    struct batch_pool *pool = batch->pool;
    schema_list_release(batch->schemas);
    mutex_lock(pool->lock);
    struct batch **list = batch->large ? &pool->free_large : &pool->free_small;
    batch->next_free = *list;
    *list = batch;
    pool->out--;
    mutex_unlock(pool->lock);
}

size_t batch_pool_out(struct batch_pool *pool)
{
    mutex_lock(pool->lock);
    size_t out = pool->out;
    mutex_unlock(pool->lock);
    return out;
}
