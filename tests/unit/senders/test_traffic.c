/* Tests that the table of the busiest senders is exact for a few senders, and limited for many. */
#include <string.h>

#include "collector/senders/traffic.h"
#include "tests/support/senders/hosts.h"
#include "tests/support/test.h"

static const uint8_t secret[16] = "not very secret";

static struct traffic_sender found[TRAFFIC_SENDERS];

static int set_up(void **state)
{
    *state = traffic_table_create(secret);
    return *state == NULL;
}

static int tear_down(void **state)
{
    traffic_table_destroy(*state);
    return 0;
}

static void note(struct traffic_table *table, uint32_t listener, struct address source,
                 uint32_t bytes)
{
    traffic_note(table, listener, &source, bytes);
}

static const struct traffic_sender *find(const struct traffic_table *table, uint32_t listener,
                                         struct address source)
{
    size_t count = traffic_read(table, found);
    for (size_t i = 0; i < count; i++)
        if (found[i].listener == listener && found[i].source.family == source.family &&
            found[i].source.scope == source.scope &&
            memcmp(found[i].source.bytes, source.bytes, sizeof source.bytes) == 0)
            return &found[i];
    return NULL;
}

static void assert_counts(const struct traffic_table *table, uint32_t listener,
                          struct address source, uint64_t datagrams, uint64_t bytes)
{
    const struct traffic_sender *sender = find(table, listener, source);
    assert_non_null(sender);
    assert_int_equal(sender->datagrams, datagrams);
    assert_int_equal(sender->bytes, bytes);
    assert_int_equal(sender->source.port, 0);
}

TEST_WITH(a_few_senders_are_counted_exactly, set_up, tear_down)
{
    struct traffic_table *table = *state;
    assert_int_equal(traffic_read(table, found), 0);
    for (uint32_t n = 0; n < 100; n++)
        for (uint32_t i = 0; i <= n; i++)
            note(table, n % 3, host(n), 10 * n);
    assert_int_equal(traffic_read(table, found), 100);
    for (uint32_t n = 0; n < 100; n++)
        assert_counts(table, n % 3, host(n), n + 1, (uint64_t)(n + 1) * 10 * n);
    assert_int_equal(traffic_replaced(table), 0);
}

/*
 * The senders have consecutive addresses. If the hash only added the secret, some sets would be
 * unused with each of these secrets, except with 0.
 */
TEST(every_slot_is_used_with_any_secret)
{
    static const uint16_t secrets[] = {0, 2, 259, 318, 349};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        const uint8_t other[16] = {(uint8_t)secrets[i], (uint8_t)(secrets[i] >> 8)};
        struct traffic_table *table = traffic_table_create(other);
        assert_non_null(table);
        for (uint32_t n = 0; n < 10000; n++) {
            const uint8_t bytes[4] = {127, 1, (uint8_t)(n / 250), (uint8_t)(n % 250 + 1)};
            note(table, 0, address_from_ipv4(bytes, 1), 1);
        }
        assert_int_equal(traffic_replaced(table), 10000 - TRAFFIC_SENDERS);
        traffic_table_destroy(table);
    }
}

TEST_WITH(listener_and_host_distinguish_senders_but_not_the_port, set_up, tear_down)
{
    static const uint8_t ipv4[4] = {10, 0, 0, 1};
    static const uint8_t link_local[16] = {0xfe, 0x80, [15] = 1};
    static const uint8_t like_ipv4[16] = {10, 0, 0, 1};
    struct traffic_table *table = *state;
    note(table, 0, address_from_ipv4(ipv4, 1), 1);
    note(table, 0, address_from_ipv4(ipv4, 2), 1);
    note(table, 1, address_from_ipv4(ipv4, 1), 3);
    note(table, 0, address_from_ipv6(link_local, 1, 1), 4);
    note(table, 0, address_from_ipv6(link_local, 2, 1), 5);
    note(table, 0, address_from_ipv6(like_ipv4, 0, 1), 6);
    assert_int_equal(traffic_read(table, found), 5);
    assert_counts(table, 0, address_from_ipv4(ipv4, 0), 2, 2);
    assert_counts(table, 1, address_from_ipv4(ipv4, 0), 1, 3);
    assert_counts(table, 0, address_from_ipv6(link_local, 1, 0), 1, 4);
    assert_counts(table, 0, address_from_ipv6(link_local, 2, 0), 1, 5);
    assert_counts(table, 0, address_from_ipv6(like_ipv4, 0, 0), 1, 6);
}

TEST_WITH(a_busy_sender_stays_though_forged_ones_come_and_go, set_up, tear_down)
{
    struct traffic_table *table = *state;
    struct address busy = host(0xffffff);
    uint64_t sent = 0;
    for (uint32_t n = 0; n < 200000; n++) {
        note(table, 0, host(n), 1);
        if (n % 50 == 0) {
            note(table, 0, busy, 100);
            sent++;
        }
    }
    assert_true(traffic_read(table, found) <= TRAFFIC_SENDERS);
    assert_true(traffic_replaced(table) > 100000);
    assert_counts(table, 0, busy, sent, sent * 100);
    const struct traffic_sender *sender = find(table, 0, busy);
    uint64_t rank = sender->rank;
    size_t count = traffic_read(table, found);
    size_t busier = 0;
    for (size_t i = 0; i < count; i++)
        busier += found[i].rank > rank;
    assert_int_equal(busier, 0);
}

TEST_WITH(recent_traffic_ranks_before_older_traffic, set_up, tear_down)
{
    struct traffic_table *table = *state;
    for (int i = 0; i < 1000000; i++)
        note(table, 0, host(1), 1);
    for (int i = 0; i < 200000; i++)
        note(table, 0, host(2 + (uint32_t)i % 2), 1);
    uint64_t before = find(table, 0, host(1))->rank;
    assert_true(find(table, 0, host(2))->rank > before);
    assert_true(find(table, 0, host(3))->rank > before);
    assert_counts(table, 0, host(1), 1000000, 1000000);
}

TEST_WITH(a_new_busy_sender_finds_a_slot_in_a_full_table, set_up, tear_down)
{
    struct traffic_table *table = *state;
    for (uint32_t n = 0; n < 3 * TRAFFIC_SENDERS; n++)
        for (int i = 0; i < 3000; i++)
            note(table, 0, host(n), 1);
    struct address now = host(0xfffffe);
    for (int i = 0; i < 3000; i++) {
        note(table, 0, now, 1);
        note(table, 0, host(4000 + (uint32_t)i), 1);
    }
    assert_counts(table, 0, now, 3000, 3000);
}
