/*
 * Batches: the blocks of memory that records travel in, and the pool that they come from.
 *
 * A record is one decoded message with the facts of its datagram. Its raw bytes and its message
 * stand in the same batch, so a batch is one thing to hand over and one thing to give back. All
 * records of a datagram stand in one batch.
 *
 * Life of a batch: acquired by a receiving thread, which alone fills it; batch_share says how many
 * will read it; from then on it is immutable; each reader releases it once, and the last release
 * returns it to the pool. All memory is reserved when the pool is made, or made larger; of small
 * batches the system gives the pages (populates them) shortly before they are needed, so that a
 * pool takes as much as was ever used of it at a time, and a little more. The pool may be used by
 * any thread.
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
 * Bytes of a batch's arena. Large ones take what does not fit a small one; where messages may be
 * longer than usual they have more.
 */
#define BATCH_SMALL_SIZE ((size_t)64 * 1024)
#define BATCH_LARGE_SIZE ((size_t)1024 * 1024)

/*
 * Bytes from one small arena to the next. Of many listeners each has a batch open and uses little
 * of it. A power of two apart, their beginnings would all share the few places that a cache has for
 * such addresses.
 */
#define BATCH_SMALL_STRIDE (BATCH_SMALL_SIZE + 640)

struct batch {
    const struct listener *listener; /* whose records these are; NULL: those of several */
    struct schema_list *schemas;     /* what they were decoded by: a reference; NULL: none */
    struct record *first;
    struct record *last;
    uint32_t count; /* records */

    /*
     * Beside them: datagrams that could not be decoded, as records without a schema, for sinks that
     * pass them on all the same. Nobody else sees them.
     */
    struct record *raw;
    struct record *last_raw;
    uint32_t raw_count;
    bool large;
    uint64_t serial; /* of this use of it: a later one of any batch of the pool has a higher one */
    struct arena arena;

    /* The pool's own. */
    _Atomic unsigned readers;
    struct batch *next_free;
    struct batch_pool *pool;
};

struct batch_pool;

/* Small batches that are kept populated and free, as long as there are more to populate. */
#define BATCH_POOL_READY 16

/*
 * Makes a pool. Large batches are populated by who fills them, page by page. Returns NULL where
 * memory is short.
 */
struct batch_pool *batch_pool_create(size_t small_count, size_t large_count);

/* The same with `large_size` (≥ BATCH_LARGE_SIZE) bytes in large ones. */
struct batch_pool *batch_pool_create_sized(size_t small_count, size_t large_count,
                                           size_t large_size);

/* Bytes of its large ones. */
size_t batch_pool_large_size(const struct batch_pool *pool);

/*
 * Main thread: from now on there are so many. Where these are more than ever before the memory is
 * taken here; what is too much goes back to the system, as soon as nobody uses it. Returns false,
 * with nothing changed, where memory is short.
 */
bool batch_pool_resize(struct batch_pool *pool, size_t small_count, size_t large_count);

/*
 * The same, and large ones have `large_size` bytes, where that is more than they have: others take
 * the place of those that there are.
 */
bool batch_pool_resize_to(struct batch_pool *pool, size_t small_count, size_t large_count,
                          size_t large_size);

/*
 * Before the pool is used: `low` is called by a thread that acquires a batch when half of those
 * that are kept ready are in use: some other thread, which fills none, is to call
 * batch_pool_populate. Without it, or where that comes too late, who acquires a batch populates it.
 */
void batch_pool_on_low(struct batch_pool *pool, void (*low)(void *context), void *context);

/* Populates small batches until BATCH_POOL_READY are free, or all are; any thread. */
void batch_pool_populate(struct batch_pool *pool);

/* All batches must be back. NULL is allowed. */
void batch_pool_destroy(struct batch_pool *pool);

/*
 * An empty batch, its one reader the caller, or NULL where none of that size is free, or the system
 * has no pages for it.
 */
struct batch *batch_acquire(struct batch_pool *pool, bool large);

/* Adds a reader, before the batch is handed to it. */
void batch_retain(struct batch *batch);

/* Whether nothing was appended to it. */
static inline bool batch_is_empty(const struct batch *batch)
{
    return batch->count == 0 && batch->raw_count == 0;
}

/* Ends the use by one reader. */
void batch_release(struct batch *batch);

/* How many there are of each size, and how many of them are free at this moment. */
struct batch_pool_levels {
    size_t small, small_free;
    size_t large, large_free;
};
struct batch_pool_levels batch_pool_levels(struct batch_pool *pool);

/*
 * Appends a record whose memory came from the batch's arena. Filling thread only.
 */
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

/* The same for a datagram that could not be decoded. */
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
