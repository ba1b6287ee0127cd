/*
 * Batches, the blocks of memory that hold records, and the pool of batches.
 *
 * A record is one decoded message with the facts of its datagram. Its raw bytes and its message are
 * in the same batch, so all of it is handed over and released together. All records of a datagram
 * are in one batch.
 *
 * Lifecycle of a batch: a receiving thread acquires it and is the only one to fill it; batch_retain
 * adds each further reader; once handed over it is immutable; each reader releases it once, and the
 * last release returns it to the pool. Creating or enlarging the pool reserves all memory. Small
 * batches are populated (given pages by the system) shortly before they are needed, so the small
 * batches use little more memory than the most that were in use at once. Any thread may use the
 * pool.
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
 * The size of a batch's arena in bytes. Large batches hold datagrams that do not fit a small one;
 * they are larger than this if messages may be longer than usual (batch_pool_create_sized).
 */
#define BATCH_SMALL_SIZE ((size_t)64 * 1024)
#define BATCH_LARGE_SIZE ((size_t)1024 * 1024)

/*
 * Bytes from one small arena to the next. With many listeners, each has an open batch and uses
 * little of it. If the arenas began a power of two apart, their beginnings would compete for the
 * same few cache sets.
 */
#define BATCH_SMALL_STRIDE (BATCH_SMALL_SIZE + 640)

struct batch {
    const struct listener *listener; /* the listener that received the records; NULL: several
                                        listeners */
    struct schema_list *schemas;     /* the schemas that decoded them; a reference; NULL: none */
    struct record *first;
    struct record *last;
    uint32_t count; /* records */

    /* Undecodable datagrams, as records without a schema; only sinks that relay them read these. */
    struct record *raw;
    struct record *last_raw;
    uint32_t raw_count;
    bool large;
    struct arena arena;

    /* Only the pool uses these. */
    _Atomic unsigned readers;
    struct batch *next_free;
    struct batch_pool *pool;
};

struct batch_pool;

/* The number of free small batches that are kept populated, while unpopulated ones remain. */
#define BATCH_POOL_READY 16

/*
 * Creates a pool. The thread that fills a large batch populates it, page by page. Returns NULL if
 * out of memory.
 */
struct batch_pool *batch_pool_create(size_t small_count, size_t large_count);

/* As batch_pool_create, with arenas of `large_size` (≥ BATCH_LARGE_SIZE) bytes in large batches. */
struct batch_pool *batch_pool_create_sized(size_t small_count, size_t large_count,
                                           size_t large_size);

/* Returns the number of bytes of a large batch's arena. */
size_t batch_pool_large_size(const struct batch_pool *pool);

/*
 * Main thread: sets the numbers of batches. Allocates the memory of batches that did not exist
 * before; surplus batches return their memory to the system once they are released. Returns false,
 * with nothing changed, if out of memory.
 */
bool batch_pool_resize(struct batch_pool *pool, size_t small_count, size_t large_count);

/*
 * As batch_pool_resize; and if large batches have fewer bytes than `large_size`, replaces them with
 * batches of that size.
 */
bool batch_pool_resize_to(struct batch_pool *pool, size_t small_count, size_t large_count,
                          size_t large_size);

/*
 * Sets the function that is called when populated batches run short; to be called before the pool
 * is used. A thread that acquires a batch calls `low` when fewer than half of BATCH_POOL_READY
 * batches are free. Another thread, which does not fill batches, should then call
 * batch_pool_populate; if none are populated in time, the acquiring thread populates its batch
 * itself.
 */
void batch_pool_on_low(struct batch_pool *pool, void (*low)(void *context), void *context);

/* Any thread: populates small batches until BATCH_POOL_READY are free or all are populated. */
void batch_pool_populate(struct batch_pool *pool);

/* All batches must have been released. NULL is allowed. */
void batch_pool_destroy(struct batch_pool *pool);

/*
 * Acquires an empty batch with the caller as its only reader. Returns NULL if no batch of that size
 * is free, or if the system has no pages for it.
 */
struct batch *batch_acquire(struct batch_pool *pool, bool large);

/* Adds a reader; to be called before the batch is handed to that reader. */
void batch_retain(struct batch *batch);

static inline bool batch_is_empty(const struct batch *batch)
{
    return batch->count == 0 && batch->raw_count == 0;
}

/* Removes one reader; the last one returns the batch to the pool. */
void batch_release(struct batch *batch);

/* The numbers of batches of each size, and of those that are free now. */
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

/* Filling thread: appends an undecodable datagram, as batch_append does. */
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
