#include "collector/record/batch.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/machine.h"
#include "collector/platform/thread.h"
#include "collector/record/schema_list.h"

#define PAGE_ALIGNMENT 4096

struct slab {
    struct slab *next;
    uint8_t *small_memory;
    uint8_t *large_memory;
    struct batch batches[];
};

struct shelf {
    struct batch *free;        /* populated small batches, or large batches */
    struct batch *unpopulated; /* small batches without pages; they can be acquired */
    struct batch *parked; /* surplus batches, whose pages were discarded; they cannot be acquired */
    size_t made;
    size_t free_count;
    size_t parked_count;
    size_t out;
    size_t wanted; /* number of batches to keep; surplus batches are parked when released */
};

struct batch_pool {
    struct mutex *lock; /* guards all members except low and low_context; taken once per batch, not
                           per record */
    struct shelf small;
    struct shelf large;
    size_t large_size; /* bytes of a large batch's arena */
    size_t outdated;   /* number of batches in use that are large but have fewer bytes */
    struct slab *slabs;
    bool asked; /* `low` was called; cleared when batch_pool_populate succeeds */
    void (*low)(void *context);
    void *low_context;
};

static struct shelf *shelf_of(struct batch_pool *pool, bool large)
{
    return large ? &pool->large : &pool->small;
}

static void push_batch(struct batch **list, struct batch *batch)
{
    batch->next_free = *list;
    *list = batch;
}

static struct batch *pop_batch(struct batch **list)
{
    struct batch *batch = *list;
    if (batch != NULL)
        *list = batch->next_free;
    return batch;
}

static void put_free(struct shelf *shelf, struct batch *batch)
{
    push_batch(&shelf->free, batch);
    shelf->free_count++;
}

static struct batch *take_free(struct shelf *shelf)
{
    struct batch *batch = pop_batch(&shelf->free);
    RULE((batch != NULL) == (shelf->free_count != 0), "free batches are counted");
    if (batch != NULL)
        shelf->free_count--;
    return batch;
}

/* --- allocation ------------------------------------------------------------------------------- */

/* Returns memory that begins on a page boundary. A size of 0 is allowed. */
static uint8_t *take_memory(size_t count, size_t size)
{
    size_t pages = count * size / PAGE_ALIGNMENT + 1;
    return aligned_memory_create(PAGE_ALIGNMENT, pages * PAGE_ALIGNMENT);
}

static void destroy_slab(struct slab *slab)
{
    aligned_memory_destroy(slab->small_memory);
    aligned_memory_destroy(slab->large_memory);
    free(slab);
}

static struct slab *make_slab(struct batch_pool *pool, size_t small_count, size_t large_count,
                              size_t large_size)
{
    size_t count = small_count + large_count;
    struct slab *slab = calloc(1, sizeof *slab + count * sizeof slab->batches[0]);
    if (slab == NULL)
        return NULL;
    slab->small_memory = take_memory(small_count, BATCH_SMALL_STRIDE);
    slab->large_memory = take_memory(large_count, large_size);
    if (slab->small_memory == NULL || slab->large_memory == NULL) {
        destroy_slab(slab);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        struct batch *batch = &slab->batches[i];
        batch->pool = pool;
        batch->large = i >= small_count;
        batch->arena.base = batch->large ? slab->large_memory + (i - small_count) * large_size
                                         : slab->small_memory + i * BATCH_SMALL_STRIDE;
        batch->arena.capacity = batch->large ? large_size : BATCH_SMALL_SIZE;
    }
    return slab;
}

static void add_slab(struct batch_pool *pool, struct slab *slab, size_t small_count,
                     size_t large_count)
{
    slab->next = pool->slabs;
    pool->slabs = slab;
    for (size_t i = 0; i < small_count; i++)
        push_batch(&pool->small.unpopulated, &slab->batches[i]);
    for (size_t i = small_count; i < small_count + large_count; i++)
        put_free(&pool->large, &slab->batches[i]);
    pool->small.made += small_count;
    pool->large.made += large_count;
}

struct batch_pool *batch_pool_create(size_t small_count, size_t large_count)
{
    return batch_pool_create_sized(small_count, large_count, BATCH_LARGE_SIZE);
}

size_t batch_pool_large_size(const struct batch_pool *pool)
{
    return pool->large_size;
}

struct batch_pool *batch_pool_create_sized(size_t small_count, size_t large_count,
                                           size_t large_size)
{
    struct batch_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->large_size = large_size;
    pool->lock = mutex_create();
    if (pool->lock == NULL || !batch_pool_resize(pool, small_count, large_count)) {
        batch_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void batch_pool_destroy(struct batch_pool *pool)
{
    if (pool == NULL)
        return;
    RULE(pool->small.out + pool->large.out + pool->outdated == 0,
         "a pool ends when all its batches are back");
    while (pool->slabs != NULL) {
        struct slab *slab = pool->slabs;
        pool->slabs = slab->next;
        destroy_slab(slab);
    }
    mutex_destroy(pool->lock);
    free(pool);
}

/* --- resizing --------------------------------------------------------------------------------- */

static bool has_too_many(const struct shelf *shelf)
{
    return shelf->made - shelf->parked_count > shelf->wanted;
}

/* Discards a batch's pages and parks it. The caller holds the lock. */
static void park(struct shelf *shelf, struct batch *batch)
{
    aligned_memory_discard(batch->arena.base, batch->arena.capacity);
    push_batch(&shelf->parked, batch);
    shelf->parked_count++;
    RULE(shelf->parked_count <= shelf->made, "parked batches belong to their shelf");
}

static struct batch *take_unused(struct shelf *shelf)
{
    struct batch *batch = pop_batch(&shelf->unpopulated);
    return batch != NULL ? batch : take_free(shelf);
}

/* Parks unused surplus batches, or makes parked ones available again. The caller holds the lock. */
static void adjust(struct shelf *shelf)
{
    struct batch *batch;
    while (has_too_many(shelf) && (batch = take_unused(shelf)) != NULL)
        park(shelf, batch);
    while (shelf->parked != NULL && shelf->made - shelf->parked_count < shelf->wanted) {
        RULE(shelf->parked_count != 0, "parked batches are counted");
        batch = pop_batch(&shelf->parked);
        shelf->parked_count--;
        if (batch->large)
            put_free(shelf, batch);
        else
            push_batch(&shelf->unpopulated, batch);
    }
}

static size_t missing(const struct shelf *shelf, size_t wanted)
{
    return wanted > shelf->made ? wanted - shelf->made : 0;
}

/*
 * Withdraws all large batches. Unused ones return their pages to the system now, others when they
 * are released. The caller holds the lock.
 */
static void outdate(struct batch_pool *pool, size_t large_size)
{
    struct batch *batch;
    RULE(pool->large.unpopulated == NULL, "large batches are never unpopulated");
    while ((batch = take_free(&pool->large)) != NULL)
        aligned_memory_discard(batch->arena.base, batch->arena.capacity);
    pool->outdated += pool->large.out;
    pool->large = (struct shelf){.wanted = pool->large.wanted};
    pool->large_size = large_size;
}

bool batch_pool_resize(struct batch_pool *pool, size_t small_count, size_t large_count)
{
    return batch_pool_resize_to(pool, small_count, large_count, pool->large_size);
}

bool batch_pool_resize_to(struct batch_pool *pool, size_t small_count, size_t large_count,
                          size_t large_size)
{
    bool longer = large_size > pool->large_size;
    size_t size = longer ? large_size : pool->large_size;
    size_t more_small = missing(&pool->small, small_count);
    size_t more_large = longer ? large_count : missing(&pool->large, large_count);
    struct slab *slab = NULL;
    if (more_small + more_large != 0 || pool->slabs == NULL) {
        slab = make_slab(pool, more_small, more_large, size);
        if (slab == NULL)
            return false;
    }
    mutex_lock(pool->lock);
    if (longer)
        outdate(pool, size);
    if (slab != NULL)
        add_slab(pool, slab, more_small, more_large);
    pool->small.wanted = small_count;
    pool->large.wanted = large_count;
    adjust(&pool->small);
    adjust(&pool->large);
    mutex_unlock(pool->lock);
    batch_pool_populate(pool);
    return true;
}

/* --- populating ------------------------------------------------------------------------------- */

void batch_pool_on_low(struct batch_pool *pool, void (*low)(void *context), void *context)
{
    pool->low = low;
    pool->low_context = context;
}

/* Returns true if the caller must call `low`, after it has released the lock. */
static bool has_become_low(struct batch_pool *pool)
{
    const struct shelf *small = &pool->small;
    if (pool->asked || small->free_count >= BATCH_POOL_READY / 2 || small->unpopulated == NULL)
        return false;
    pool->asked = true;
    return pool->low != NULL;
}

static bool populate(struct batch *batch)
{
    return aligned_memory_populate(batch->arena.base, batch->arena.capacity);
}

/*
 * If the system has no pages, `asked` stays set. Then `low` is not called again, and threads that
 * acquire batches populate them.
 */
void batch_pool_populate(struct batch_pool *pool)
{
    struct shelf *small = &pool->small;
    bool populated = true;
    mutex_lock(pool->lock);
    while (populated && small->free_count < BATCH_POOL_READY && small->unpopulated != NULL) {
        struct batch *batch = pop_batch(&small->unpopulated);
        small->out++;
        mutex_unlock(pool->lock);
        populated = populate(batch);
        mutex_lock(pool->lock);
        small->out--;
        if (populated)
            put_free(small, batch);
        else
            push_batch(&small->unpopulated, batch);
    }
    pool->asked = !populated;
    mutex_unlock(pool->lock);
}

/* --- use -------------------------------------------------------------------------------------- */

static struct batch *return_unpopulated(struct batch_pool *pool, struct shelf *shelf,
                                        struct batch *batch)
{
    mutex_lock(pool->lock);
    push_batch(&shelf->unpopulated, batch);
    shelf->out--;
    mutex_unlock(pool->lock);
    return NULL;
}

struct batch *batch_acquire(struct batch_pool *pool, bool large)
{
    mutex_lock(pool->lock);
    struct shelf *shelf = shelf_of(pool, large);
    struct batch *batch = take_free(shelf);
    bool unpopulated = batch == NULL && shelf->unpopulated != NULL;
    if (unpopulated)
        batch = pop_batch(&shelf->unpopulated);
    if (batch != NULL)
        shelf->out++;
    bool low = has_become_low(pool);
    mutex_unlock(pool->lock);
    if (low)
        pool->low(pool->low_context);
    if (batch == NULL)
        return NULL;
    if (unpopulated && !populate(batch))
        return return_unpopulated(pool, shelf, batch);
    batch->listener = NULL;
    batch->schemas = NULL;
    batch->first = NULL;
    batch->last = NULL;
    batch->count = 0;
    batch->raw = NULL;
    batch->last_raw = NULL;
    batch->raw_count = 0;
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
    /* Acquire and release: all readers finish with the memory before it is filled again. */
    if (atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1)
        return;
    struct batch_pool *pool = batch->pool;
    schema_list_release(batch->schemas);
    mutex_lock(pool->lock);
    struct shelf *shelf = shelf_of(pool, batch->large);
    if (batch->large && batch->arena.capacity < pool->large_size) {
        aligned_memory_discard(batch->arena.base, batch->arena.capacity);
        RULE(pool->outdated != 0, "an outdated batch in use is counted");
        pool->outdated--;
        mutex_unlock(pool->lock);
        return;
    }
    if (has_too_many(shelf))
        park(shelf, batch);
    else
        put_free(shelf, batch);
    RULE(shelf->out != 0, "a batch in use is counted");
    shelf->out--;
    mutex_unlock(pool->lock);
}

struct batch_pool_levels batch_pool_levels(struct batch_pool *pool)
{
    mutex_lock(pool->lock);
    struct batch_pool_levels levels = {
        .small = pool->small.made - pool->small.parked_count,
        .large = pool->large.made - pool->large.parked_count,
    };
    RULE(pool->small.out <= levels.small && pool->large.out <= levels.large,
         "batches in use are not parked");
    levels.small_free = levels.small - pool->small.out;
    levels.large_free = levels.large - pool->large.out;
    mutex_unlock(pool->lock);
    return levels;
}
