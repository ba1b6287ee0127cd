#include <stdbool.h>

#include "collector/senders/sharded_sets.h"
#include "tests/support/test.h"

enum { MOST = 2048 };

/*
 * In these tables the shards have one set each, two or more sets each, or some shards have one set
 * more than others.
 */
static const size_t tables[] = {SHARDS, 2 * SHARDS, MOST, SHARDS + 1, 125};
#define TABLES (sizeof tables / sizeof tables[0])

static size_t sets_of_shard(size_t sets, size_t shard)
{
    size_t count = 0;
    for (size_t set = shard; set < sets; set += SHARDS)
        count++;
    return count;
}

static size_t second_of(size_t sets, size_t first, uint64_t by)
{
    const struct sharded_sets frame = {.count = sets};
    const uint64_t hash[] = {0, by};
    return second_set(&frame, first, hash);
}

TEST(the_second_set_is_another_one_of_the_same_shard)
{
    for (size_t i = 0; i < TABLES; i++)
        for (size_t set = 0; set < tables[i]; set++)
            for (uint64_t by = 0; by < 300; by++) {
                size_t other = second_of(tables[i], set, by * UINT64_C(0x9e3779b97f4a7c15));
                assert_true(other < tables[i]);
                assert_int_equal(other % SHARDS, set % SHARDS);
                assert_int_equal(other == set, sets_of_shard(tables[i], set % SHARDS) == 1);
            }
}

TEST(each_other_set_of_the_shard_is_the_second_of_some)
{
    for (size_t i = 0; i < TABLES; i++)
        for (size_t set = 0; set < tables[i]; set++) {
            bool chosen[MOST] = {false};
            size_t count = 0;
            size_t others = sets_of_shard(tables[i], set % SHARDS) - 1;
            for (uint64_t by = 0; by < others; by++) {
                size_t other = second_of(tables[i], set, by);
                count += !chosen[other];
                chosen[other] = true;
            }
            assert_int_equal(count, others);
        }
}

/* --- the slot with the lowest rank ------------------------------------------------------------ */

struct ranks {
    int64_t of[2][WAYS];
    size_t *asked;
};

static int64_t rank_of(const void *table, struct slot slot)
{
    const struct ranks *ranks = table;
    ++*ranks->asked;
    return ranks->of[slot.set][slot.way];
}

static void assert_least(const struct ranks *ranks, size_t set, size_t way, size_t asked)
{
    const size_t sets[] = {0, 1};
    *ranks->asked = 0;
    struct slot slot = slot_of_least(sets, rank_of, ranks);
    assert_int_equal(slot.set, set);
    assert_int_equal(slot.way, way);
    assert_int_equal(*ranks->asked, asked);
}

TEST(the_first_of_the_least_slots_is_chosen)
{
    size_t asked;
    struct ranks ranks = {{{7, 6, 5, 4, 9, 9, 4, 9}, {9, 9, 9, 9, 9, 9, 9, 9}}, &asked};
    assert_least(&ranks, 0, 3, 2 * WAYS);
    ranks.of[1][5] = 4;
    assert_least(&ranks, 0, 3, 2 * WAYS);
    ranks.of[1][5] = 3;
    assert_least(&ranks, 1, 5, 2 * WAYS);
}

TEST(the_search_ends_at_an_empty_slot)
{
    size_t asked;
    struct ranks ranks = {{{7, 6, INT64_MIN, 4}, {INT64_MIN}}, &asked};
    assert_least(&ranks, 0, 2, 3);
}

TEST(slots_of_the_highest_rank_lead_to_the_first)
{
    size_t asked;
    struct ranks ranks = {.asked = &asked};
    for (size_t i = 0; i < 2 * WAYS; i++)
        ranks.of[i / WAYS][i % WAYS] = INT64_MAX;
    assert_least(&ranks, 0, 0, 2 * WAYS);
}

TEST(a_table_has_at_least_a_set_for_each_shard)
{
    assert_int_equal(sharded_sets_for(0), SHARDS);
    assert_int_equal(sharded_sets_for(SHARDS * WAYS), SHARDS);
    assert_int_equal(sharded_sets_for(SHARDS * WAYS + 1), SHARDS + 1);
}
