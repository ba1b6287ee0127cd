/*
 * Batches: blocks of memory that hold records, and the pool of batches.
 *
 * A record is one decoded message with the facts of its datagram. Its raw bytes and its message are
 * in the same batch, so they are handed over and released together. All records of a datagram are
 * in one batch.
 *
 * Lifecycle of a batch: a receiving thread acquires it, and only this thread fills it. batch_retain
 * adds each further reader. After the hand-over the batch is immutable. Each reader releases it
 * once; the last release returns it to the pool.
 *
 * Creating or enlarging the pool reserves all memory. Small batches are populated (the system gives
 * them pages) shortly before use. So the memory in use is little more than that of the largest
 * number of small batches that were in use at the same time. Any thread may use the pool.
 */
#ifndef SLUICE_COLLECTOR_RECORD_BATCH_H
#define SLUICE_COLLECTOR_RECORD_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/arena.h"
#include "collector/contract/record.h"

struct listener;
struct schema_list;

/*
 * Bytes of a batch's arena. Large batches hold datagrams that do not fit a small batch. Their arena
 * is larger than BATCH_LARGE_SIZE if the messages may be unusually long (batch_pool_create_sized).
 */
#define BATCH_SMALL_SIZE ((size_t)64 * 1024)
#define BATCH_LARGE_SIZE ((size_t)1024 * 1024)

/*
 * Bytes from one small arena to the next. With many listeners, each has an open batch and uses
 * little of it. If the distance of the arenas were a power of two, their beginnings would compete
 * for the same few cache sets.
 */
#define BATCH_SMALL_STRIDE (BATCH_SMALL_SIZE + 640)

struct batch {
    const struct listener *listener; /* receiver of the records; NULL if there are several */
    struct schema_list *schemas;     /* decoded the records; a reference; may be NULL */
    struct record *first;
    struct record *last;
    uint32_t count;

    /*
     * Undecodable datagrams, stored as records without a schema. Only sinks that relay them read
     * these.
     */
    struct record *raw;
    struct record *last_raw;
    uint32_t raw_count;
    bool large;
    struct arena arena;

    /* For the pool only. */
    _Atomic unsigned readers;
    struct batch *next_free;
    struct batch_pool *pool;
};

struct batch_pool;

/*
 * The pool keeps this number of free small batches populated, as long as unpopulated ones remain.
 */
#define BATCH_POOL_READY 16

/*
 * Creates a pool. Large batches are not populated in advance: the thread that fills one populates
 * it page by page. Returns NULL if out of memory.
 */
struct batch_pool *batch_pool_create(size_t small_count, size_t large_count);

/* Like batch_pool_create, but large batches have `large_size` bytes, at least BATCH_LARGE_SIZE. */
struct batch_pool *batch_pool_create_sized(size_t small_count, size_t large_count,
                                           size_t large_size);

/* Returns the bytes of a large batch's arena. */
size_t batch_pool_large_size(const struct batch_pool *pool);

/*
 * Main thread: sets the numbers of batches. Allocates memory for additional batches. Surplus
 * batches return their memory to the system once they are released. Returns false, and changes
 * nothing, if out of memory.
 */
bool batch_pool_resize(struct batch_pool *pool, size_t small_count, size_t large_count);

/*
 * Like batch_pool_resize. If large batches are smaller than `large_size` bytes, also replaces them
 * with batches of that size.
 */
bool batch_pool_resize_to(struct batch_pool *pool, size_t small_count, size_t large_count,
                          size_t large_size);

/*
 * Sets the function to call when populated batches run short. Call this before the pool is used. A
 * thread that acquires a batch calls `low` when fewer than half of BATCH_POOL_READY batches are
 * free. Another thread, which does not fill batches, should then call batch_pool_populate. If it is
 * too late, the acquiring thread populates its batch itself.
 */
void batch_pool_on_low(struct batch_pool *pool, void (*low)(void *context), void *context);

/*
 * Any thread: populates small batches until BATCH_POOL_READY are free, all are populated, or the
 * system has no pages.
 */
void batch_pool_populate(struct batch_pool *pool);

/* All batches must have been released. `pool` may be NULL. */
void batch_pool_destroy(struct batch_pool *pool);

/*
 * Acquires an empty batch; the caller is its only reader. Returns NULL if no batch of that size is
 * free, or if the system has no pages for it.
 */
struct batch *batch_acquire(struct batch_pool *pool, bool large);

/* Adds a reader. Call it before the batch is handed to that reader. */
void batch_retain(struct batch *batch);

static inline bool batch_is_empty(const struct batch *batch)
{
    return batch->count == 0 && batch->raw_count == 0;
}

/* Returns true if no batch of the pool has more room than this one has now. */
static inline bool batch_is_largest(const struct batch *batch)
{
    return batch->large && batch_is_empty(batch);
}

/* Removes one reader. The last release returns the batch to the pool. */
void batch_release(struct batch *batch);

/* The number of batches of each size, and how many of them are free. */
struct batch_pool_levels {
    size_t small, small_free;
    size_t large, large_free;
};
struct batch_pool_levels batch_pool_levels(struct batch_pool *pool);

/* Filling thread: appends a record, which must be in the batch's arena. */
static inline void batch_append(struct batch *batch, struct record *record)
{
    record->next = NULL;
    if (batch->last == NULL)
        batch->first = record;
    else
        batch->last->next = record;
    batch->last = record;
    batch->count++;
}

/* Filling thread: appends an undecodable datagram, which must be in the batch's arena. */
static inline void batch_append_raw(struct batch *batch, struct record *record)
{
    record->next = NULL;
    if (batch->last_raw == NULL)
        batch->raw = record;
    else
        batch->last_raw->next = record;
    batch->last_raw = record;
    batch->raw_count++;
}

#endif
