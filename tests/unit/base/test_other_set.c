/* The second set where a key may be. */
#include <stdbool.h>

#include "collector/base/other_set.h"
#include "tests/support/test.h"

enum { SHARDS = 16, MOST = 2048 };

/* With a set for each shard, with more of them, and with one more in some shards than in others. */
static const size_t tables[] = {SHARDS, 2 * SHARDS, MOST, SHARDS + 1, 125};
#define TABLES (sizeof tables / sizeof tables[0])

static size_t sets_of_shard(size_t sets, size_t shard)
{
    size_t count = 0;
    for (size_t set = shard; set < sets; set += SHARDS)
        count++;
    return count;
}

TEST(it_is_another_set_of_the_same_shard)
{
    for (size_t i = 0; i < TABLES; i++)
        for (size_t set = 0; set < tables[i]; set++)
            for (uint64_t by = 0; by < 300; by++) {
                size_t other = other_set(set, tables[i], SHARDS, by * UINT64_C(0x9e3779b97f4a7c15));
                assert_true(other < tables[i]);
                assert_int_equal(other % SHARDS, set % SHARDS);
                assert_int_equal(other == set, sets_of_shard(tables[i], set % SHARDS) == 1);
            }
}

TEST(each_other_one_of_the_shard_is_chosen_by_some)
{
    for (size_t i = 0; i < TABLES; i++)
        for (size_t set = 0; set < tables[i]; set++) {
            bool chosen[MOST] = {false};
            size_t count = 0;
            size_t others = sets_of_shard(tables[i], set % SHARDS) - 1;
            for (uint64_t by = 0; by < others; by++) {
                size_t other = other_set(set, tables[i], SHARDS, by);
                count += !chosen[other];
                chosen[other] = true;
            }
            assert_int_equal(count, others);
        }
}
