/*
 * The frame of a table of fixed size that several threads share: places in sets of WAYS, and the
 * sets divided into shards with a lock each.
 *
 * What is at a place is the table's own. A key has a place in one of two sets, both of one shard,
 * so that one lock guards a search. Which sets is chosen by a hash with a secret, so that nobody
 * who forges keys can choose whose place a newcomer takes.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SHARDED_SETS_H
#define SLUICE_COLLECTOR_SENDERS_SHARDED_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/mutex.h"

#define SHARDS 16
#define WAYS   8

/* Guards the sets whose number is its own modulo SHARDS. */
struct shard {
    struct mutex *mutex;
    uint64_t tick;     /* for the table, under the lock */
    uint8_t apart[48]; /* keeps two shards out of one cache line */
};

struct sharded_sets {
    size_t count; /* of sets, at least SHARDS */
    struct shard shards[SHARDS];
    uint8_t secret[16]; /* of the hash */
};

struct place {
    size_t set;
    size_t way; /* below WAYS */
};

/* The sets of a table for at least `entries` places. */
static inline size_t sharded_sets_for(size_t entries)
{
    size_t sets = entries / WAYS + (entries % WAYS != 0);
    return sets < SHARDS ? SHARDS : sets;
}

/*
 * Fills *sets, for a table of `count` sets. Returns false where memory is short;
 * sharded_sets_destroy is to be called in either case.
 */
bool sharded_sets_create(struct sharded_sets *sets, size_t count, const uint8_t secret[16]);

/* What is all zero is nothing. */
void sharded_sets_destroy(struct sharded_sets *sets);

static inline struct shard *shard_of(struct sharded_sets *sets, size_t set)
{
    return &sets->shards[set % SHARDS];
}

/* The first of the two sets of a key with this hash. */
static inline size_t first_set(const struct sharded_sets *sets, const uint64_t hash[2])
{
    return (size_t)(hash[0] % sets->count);
}

/*
 * The second one: `first` itself where its shard has no other set. Where a key has but one set,
 * some sets are full by chance when the table is half empty.
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
 * Of the places of both sets the one with the least rank, the first such; INT64_MIN ends the
 * search. `rank` must not change anything.
 */
typedef int64_t place_rank(const void *table, struct place place);
struct place place_of_least(const size_t sets[2], place_rank *rank, const void *table);

#endif
