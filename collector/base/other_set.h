/*
 * Of a table of sets of a few places each, divided into shards (set number s is of shard
 * s % shards): the second set where a key may be. Where a key has but one, some sets are full by
 * chance when the table is half empty. Pure functions.
 */
#ifndef SLUICE_COLLECTOR_BASE_OTHER_SET_H
#define SLUICE_COLLECTOR_BASE_OTHER_SET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Another set of the same shard, so that the lock of the one guards both; `set` itself where its
 * shard has no other. `sets` ≥ `shards` ≥ 1, `set` < `sets`; `by` is of the key's hash, and of
 * what did not choose `set`.
 */
static inline size_t other_set(size_t set, size_t sets, size_t shards, uint64_t by)
{
    size_t shard = set % shards;
    size_t count = (sets - shard + shards - 1) / shards;
    if (count == 1)
        return set;
    size_t further = 1 + (size_t)(by % (count - 1));
    return shard + (set / shards + further) % count * shards;
}

#endif
