/*
 * Divides the slots of a hash table of fixed size into sets of WAYS slots, and the sets into shards
 * with a lock each, so that several threads can share the table.
 *
 * The table owns the contents of the slots. The slot of a key is in one of two sets of the same
 * shard, so that one lock guards a search. A hash with a secret chooses the sets, so a sender that
 * forges keys cannot choose which entry is replaced.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SHARDED_SETS_H
#define SLUICE_COLLECTOR_SENDERS_SHARDED_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/thread.h"

#define SHARDS 16
#define WAYS   8

/* Shard i guards the sets whose index modulo SHARDS is i. */
struct shard {
    struct mutex *mutex;
    uint64_t tick;     /* used by the table, under the lock */
    uint8_t apart[48]; /* padding, so that two shards are never in the same cache line */
};

struct sharded_sets {
    size_t count; /* number of sets, at least SHARDS */
    struct shard shards[SHARDS];
    uint8_t secret[16]; /* key of the hash */
};

struct slot {
    size_t set;
    size_t way; /* index of the slot in its set, below WAYS */
};

/* Returns the number of sets of a table with at least `entries` slots. */
static inline size_t sharded_sets_for(size_t entries)
{
    size_t sets = entries / WAYS + (entries % WAYS != 0);
    return sets < SHARDS ? SHARDS : sets;
}

/*
 * Fills *sets for a table of `count` sets. Returns false if out of memory. Call
 * sharded_sets_destroy in either case.
 */
bool sharded_sets_create(struct sharded_sets *sets, size_t count, const uint8_t secret[16]);

/* A zeroed struct is allowed. */
void sharded_sets_destroy(struct sharded_sets *sets);

static inline struct shard *shard_of(struct sharded_sets *sets, size_t set)
{
    return &sets->shards[set % SHARDS];
}

/* Returns the index of the first set for a key with this hash. */
static inline size_t first_set(const struct sharded_sets *sets, const uint64_t hash[2])
{
    return (size_t)(hash[0] % sets->count);
}

/*
 * Returns the index of the second set, or `first` if its shard has no other set. With only one set
 * per key, some sets would by chance be full while the table is half empty.
 */
static inline size_t second_set(const struct sharded_sets *sets, size_t first,
                                const uint64_t hash[2])
{
    size_t shard = first % SHARDS;
    size_t count = (sets->count - shard + SHARDS - 1) / SHARDS;
    if (count == 1)
        return first;
    size_t further = 1 + (size_t)(hash[1] % (count - 1));
    return shard + (first / SHARDS + further) % count * SHARDS;
}

/*
 * slot_of_least returns the slot with the lowest rank in the two sets. If several have that rank,
 * returns the first. Stops searching at a slot with rank INT64_MIN. `rank` must not have side
 * effects.
 */
typedef int64_t slot_rank(const void *table, struct slot slot);
struct slot slot_of_least(const size_t sets[2], slot_rank *rank, const void *table);

#endif
