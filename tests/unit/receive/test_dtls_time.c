/*
 * Tests the time of a thread for DTLS handshakes: at most half of its time. Hosts share it
 * according to how much each has used.
 */
#include "collector/base/byte_order.h"
#include "collector/receive/dtls_time.h"
#include "tests/support/test.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

/* The most clients of a host. In these tests, a host has one only while it begins a handshake. */
#define CLIENTS 1

struct world {
    struct stream_hosts hosts;
    struct dtls_time time;
    int64_t now_ns;
};

static void begin_world(struct world *world)
{
    struct error error;
    *world = (struct world){.now_ns = SECOND};
    assert_int_equal(stream_hosts_init(&world->hosts, &error), 0);
    assert_true(stream_hosts_grow(&world->hosts, CLIENTS + DTLS_TIME_HOSTS));
    dtls_time_begin(&world->time, &world->hosts, world->now_ns);
}

static struct address host(unsigned number)
{
    uint8_t bytes[4];
    put_network_u32(bytes, number + 1);
    return address_from_ipv4(bytes, 0);
}

static bool is_allowed(struct world *world, unsigned number)
{
    const struct address address = host(number);
    return dtls_time_allows(&world->time, stream_hosts_find(&world->hosts, &address),
                            world->now_ns);
}

static void spend(struct world *world, unsigned number, int64_t cost_ns)
{
    const struct address address = host(number);
    struct stream_host *of = stream_hosts_enter(&world->hosts, &address, CLIENTS);
    assert_non_null(of);
    dtls_time_spend(&world->time, of, cost_ns, world->now_ns);
    stream_hosts_leave(&world->hosts, of);
}

static int64_t try_spending(struct world *world, unsigned number, int64_t cost_ns)
{
    if (!is_allowed(world, number))
        return 0;
    spend(world, number, cost_ns);
    return cost_ns;
}

TEST(the_only_host_gets_half_of_the_time)
{
    struct world world;
    int64_t spent_ns = 0;
    begin_world(&world);
    for (int64_t i = 0; i < 10000; i++, world.now_ns += MS)
        spent_ns += try_spending(&world, 0, MS);
    assert_in_range(spent_ns, 5 * SECOND, 5 * SECOND + DTLS_TIME_SAVED);
    stream_hosts_destroy(&world.hosts);
}

TEST(while_a_host_uses_all_it_can_get_a_new_one_need_not_wait)
{
    struct world world;
    begin_world(&world);
    for (unsigned i = 0; i < 10000; i++, world.now_ns += MS) {
        (void)try_spending(&world, 0, 2 * MS);
        assert_true(is_allowed(&world, 1));
    }
    stream_hosts_destroy(&world.hosts);
}

TEST(hosts_that_need_little_get_it_while_others_use_all_they_can_get)
{
    struct world world;
    begin_world(&world);
    for (unsigned i = 0; i < 20000; i++, world.now_ns += MS / 2) {
        (void)try_spending(&world, i % 8, 2 * MS);
        if (i % 50 == 0) /* each of ten hosts begins four handshakes a second */
            assert_int_equal(try_spending(&world, 10 + i / 50 % 10, 2 * MS), 2 * MS);
    }
    stream_hosts_destroy(&world.hosts);
}

/* Host 0 tries nine times as often as each of the other hosts. */
TEST(hosts_that_use_all_they_can_get_share_the_time_equally)
{
    struct world world;
    int64_t spent_ns[5] = {0};
    begin_world(&world);
    for (unsigned i = 0; i < 300000; i++, world.now_ns += MS / 10) {
        const unsigned number = i % 13 < 4 ? 1 + i % 13 : 0;
        spent_ns[number] += try_spending(&world, number, MS);
    }
    for (size_t i = 0; i < 5; i++)
        assert_in_range(spent_ns[i], 27 * SECOND / 10, 33 * SECOND / 10);
    stream_hosts_destroy(&world.hosts);
}

TEST(a_host_keeps_its_account_without_a_client_until_it_is_forgotten)
{
    struct world world;
    begin_world(&world);
    while (try_spending(&world, 0, MS) != 0)
        ;
    for (int64_t end_ns = world.now_ns + 100 * MS; world.now_ns < end_ns; world.now_ns += MS)
        spend(&world, 1, MS / 2);       /* host 1 uses all time that is saved in these 100 ms */
    assert_true(is_allowed(&world, 0)); /* a fifth of the time that host 0 used is forgotten */
    spend(&world, 0, 60 * MS);
    assert_false(is_allowed(&world, 0));
    world.now_ns += DTLS_TIME_FORGOTTEN;
    spend(&world, 1, 356 * MS - 1); /* leaves one nanosecond */
    assert_true(is_allowed(&world, 0));
    stream_hosts_destroy(&world.hosts);
}

TEST(of_too_many_hosts_the_one_with_the_smallest_account_is_forgotten)
{
    struct world world;
    unsigned known = 0;
    begin_world(&world);
    spend(&world, 0, 350 * MS);
    for (unsigned number = 1; number < 1000; number++)
        spend(&world, number, number == 500 ? 10 * MS : MS / 10);
    for (unsigned number = 0; number < 1000; number++) {
        const struct address address = host(number);
        known += stream_hosts_find(&world.hosts, &address) != NULL;
        if (number == 0 || number == 500 || number == 999)
            assert_non_null(stream_hosts_find(&world.hosts, &address));
    }
    assert_int_equal(known, DTLS_TIME_HOSTS);
    assert_false(is_allowed(&world, 0));
    stream_hosts_destroy(&world.hosts);
}

TEST(a_long_pause_saves_no_more_than_a_limit)
{
    struct world world;
    begin_world(&world);
    world.now_ns += 3600 * SECOND;
    spend(&world, 0, DTLS_TIME_SAVED);
    assert_false(is_allowed(&world, 1));
    world.now_ns += 2;
    assert_true(is_allowed(&world, 1));
    stream_hosts_destroy(&world.hosts);
}

TEST(after_a_stop_of_the_process_within_a_handshake_others_begin_in_a_second)
{
    struct world world;
    begin_world(&world);
    for (unsigned i = 0; i < 3; i++)
        spend(&world, 0, 3600 * SECOND);
    world.now_ns += SECOND;
    assert_false(is_allowed(&world, 1));
    world.now_ns += 2;
    assert_true(is_allowed(&world, 1));
    stream_hosts_destroy(&world.hosts);
}
