/*
 * Tests that blocks for large frames are shared between hosts, so that one host leaves some to the
 * others.
 */
#include <stdint.h>
#include <string.h>

#include "collector/receive/stream_blocks.h"
#include "tests/support/test.h"

#define COUNT 9 /* 8 for connections, and one for a thread */
#define SIZE  16

struct host {
    struct stream_share share;
    uint8_t *held[COUNT];
    bool waits[COUNT];
};

static size_t take_all(struct stream_blocks *blocks, struct host *host)
{
    for (size_t i = 0; i < COUNT; i++) {
        host->held[i] = stream_blocks_acquire(blocks, &host->share, &host->waits[i]);
        if (host->held[i] == NULL)
            return i;
    }
    return COUNT;
}

static void give_all(struct stream_blocks *blocks, struct host *host)
{
    for (size_t i = 0; i < COUNT; i++) {
        stream_blocks_stop_waiting(blocks, &host->share, &host->waits[i]);
        stream_blocks_release(blocks, &host->share, host->held[i]);
    }
    assert_int_equal(host->share.blocks, 0);
    assert_int_equal(host->share.waiting, 0);
}

static enum stream_blocks_demand demand_on(struct stream_blocks *blocks, const struct host *host)
{
    return stream_blocks_demand(blocks, &host->share);
}

TEST(each_host_leaves_half_of_what_is_free_and_the_fourth_gets_one_at_once)
{
    static const size_t shares[] = {5, 2, 1, 1};
    struct stream_blocks *blocks = stream_blocks_create(COUNT, SIZE);
    struct host hosts[5];
    memset(hosts, 0, sizeof hosts);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(take_all(blocks, &hosts[i]), shares[i]);
    /* The fifth host must wait, and a host that has several blocks must return one. */
    assert_int_equal(take_all(blocks, &hosts[4]), 0);
    assert_true(stream_blocks_are_short(blocks));
    assert_int_equal(demand_on(blocks, &hosts[0]), STREAM_BLOCKS_WANTED_FIRST);
    assert_int_equal(demand_on(blocks, &hosts[2]), STREAM_BLOCKS_WANTED);
    /* The returned block is for the waiting host, even if another host requests one before it. */
    stream_blocks_release(blocks, &hosts[0].share, hosts[0].held[0]);
    hosts[0].held[0] = NULL;
    assert_null(stream_blocks_acquire(blocks, &hosts[0].share, &hosts[0].waits[5]));
    assert_null(stream_blocks_acquire(blocks, &hosts[2].share, &hosts[2].waits[1]));
    assert_null(stream_blocks_try(blocks, &hosts[2].share));
    hosts[4].held[0] = stream_blocks_acquire(blocks, &hosts[4].share, &hosts[4].waits[0]);
    assert_non_null(hosts[4].held[0]);
    assert_false(hosts[4].waits[0]);
    for (size_t i = 0; i < 5; i++)
        give_all(blocks, &hosts[i]);
    assert_false(stream_blocks_are_short(blocks));
    assert_int_equal(take_all(blocks, &hosts[1]), 5); /* all blocks are free again */
    give_all(blocks, &hosts[1]);
    stream_blocks_destroy(blocks);
}

TEST(waiting_connections_come_before_others)
{
    struct stream_blocks *blocks = stream_blocks_create(1, SIZE);
    struct host hosts[3];
    memset(hosts, 0, sizeof hosts);
    assert_int_equal(take_all(blocks, &hosts[0]), 1);
    assert_int_equal(take_all(blocks, &hosts[1]), 0);
    give_all(blocks, &hosts[0]);
    hosts[0].held[0] = NULL;
    assert_null(stream_blocks_try(blocks, &hosts[2].share));
    assert_int_equal(take_all(blocks, &hosts[2]), 0);
    assert_int_equal(take_all(blocks, &hosts[1]), 1);
    give_all(blocks, &hosts[1]);
    memset(&hosts[1], 0, sizeof hosts[1]);
    assert_int_equal(take_all(blocks, &hosts[2]), 1);
    give_all(blocks, &hosts[2]);
    stream_blocks_destroy(blocks);
}

TEST(a_host_waiting_for_its_share_does_not_press_others)
{
    struct stream_blocks *blocks = stream_blocks_create(COUNT, SIZE);
    struct host many = {0}, one = {0};
    one.held[0] = stream_blocks_acquire(blocks, &one.share, &one.waits[0]);
    assert_int_equal(take_all(blocks, &many), 4);
    /*
     * `many` waits although blocks are free, because it already has the most that one host may
     * have.
     */
    assert_true(stream_blocks_are_short(blocks));
    assert_int_equal(demand_on(blocks, &many), STREAM_BLOCKS_WANTED);
    assert_int_equal(demand_on(blocks, &one), STREAM_BLOCKS_ENOUGH);
    give_all(blocks, &many);
    assert_false(stream_blocks_are_short(blocks));
    give_all(blocks, &one);
    stream_blocks_destroy(blocks);
}

TEST(a_connection_takes_its_block_and_its_wait_to_another_host)
{
    struct stream_blocks *blocks = stream_blocks_create(COUNT, SIZE);
    struct host before = {0}, after = {0};
    assert_int_equal(take_all(blocks, &before), 5);
    stream_blocks_transfer(blocks, &before.share, &after.share, false, true);
    assert_int_equal(before.share.waiting, 0);
    assert_int_equal(after.share.waiting, 1);
    assert_int_equal(demand_on(blocks, &before), STREAM_BLOCKS_ENOUGH);
    stream_blocks_transfer(blocks, &before.share, &after.share, true, false);
    assert_int_equal(before.share.blocks, 4);
    assert_int_equal(after.share.blocks, 1);
    /* The connection that waits is now one of `after`. */
    assert_int_equal(demand_on(blocks, &after), STREAM_BLOCKS_WANTED);
    after.held[0] = before.held[0];
    before.held[0] = NULL;
    after.waits[5] = before.waits[5];
    before.waits[5] = false;
    give_all(blocks, &before);
    give_all(blocks, &after);
    assert_false(stream_blocks_are_short(blocks));
    stream_blocks_destroy(blocks);
}

TEST(a_thread_gets_any_free_block)
{
    struct stream_blocks *blocks = stream_blocks_create(1, SIZE);
    struct stream_share share = {0}, other = {0};
    bool waits = false;
    uint8_t *block = stream_blocks_move(blocks, &share);
    assert_non_null(block);
    assert_int_equal(share.blocks, 1);
    assert_null(stream_blocks_move(blocks, &share));
    assert_int_equal(share.blocks, 1);
    assert_null(stream_blocks_acquire(blocks, &other, &waits));
    stream_blocks_release(blocks, &share, block);
    assert_ptr_equal(stream_blocks_move(blocks, &share), block);
    stream_blocks_stop_waiting(blocks, &other, &waits);
    stream_blocks_release(blocks, &share, block);
    assert_int_equal(share.blocks, 0);
    stream_blocks_destroy(blocks);
}

TEST(three_hosts_never_have_all)
{
    struct stream_blocks *blocks = stream_blocks_create(COUNT, SIZE);
    struct host hosts[3], other = {0};
    uint32_t random = 1;
    memset(hosts, 0, sizeof hosts);
    for (int step = 0; step < 20000; step++) {
        random = random * 1664525 + 1013904223;
        struct host *host = &hosts[(random >> 24) % 3];
        size_t i = (random >> 16) % COUNT;
        if (host->held[i] == NULL) {
            host->held[i] = stream_blocks_acquire(blocks, &host->share, &host->waits[i]);
        } else {
            stream_blocks_release(blocks, &host->share, host->held[i]);
            host->held[i] = NULL;
        }
        size_t poor = 0;
        for (size_t k = 0; k < 3; k++)
            poor += hosts[k].share.blocks == 0 && hosts[k].share.waiting != 0;
        if (poor != 0) /* the free block is for a host that waits and has none */
            continue;
        uint8_t *block = stream_blocks_acquire(blocks, &other.share, &other.waits[0]);
        assert_non_null(block);
        stream_blocks_release(blocks, &other.share, block);
    }
    for (size_t k = 0; k < 3; k++)
        give_all(blocks, &hosts[k]);
    stream_blocks_destroy(blocks);
}
