#include "collector/senders/sharded_sets.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"

bool sharded_sets_create(struct sharded_sets *sets, size_t count, const uint8_t secret[16])
{
    RULE(count >= SHARDS, "each shard has a set");
    bool complete = true;
    *sets = (struct sharded_sets){.count = count};
    memcpy(sets->secret, secret, sizeof sets->secret);
    for (size_t i = 0; i < SHARDS; i++) {
        sets->shards[i].mutex = mutex_create();
        complete = complete && sets->shards[i].mutex != NULL;
    }
    return complete;
}

void sharded_sets_destroy(struct sharded_sets *sets)
{
    for (size_t i = 0; i < SHARDS; i++)
        mutex_destroy(sets->shards[i].mutex);
}

struct slot slot_of_least(const size_t sets[2], slot_rank *rank, const void *table)
{
    struct slot least = {sets[0], 0};
    int64_t least_rank = INT64_MAX;
    for (size_t i = 0; i < 2 * WAYS && least_rank != INT64_MIN; i++) {
        struct slot slot = {sets[i / WAYS], i % WAYS};
        int64_t its_rank = rank(table, slot);
        if (its_rank >= least_rank)
            continue;
        least_rank = its_rank;
        least = slot;
    }
    return least;
}
