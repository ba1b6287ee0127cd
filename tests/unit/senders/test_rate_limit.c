/* Tests how much each source may send: exact in bursts and over time, with limited memory. */
#include "collector/senders/rate_limit.h"
#include "tests/support/senders/hosts.h"
#include "tests/support/test.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND      (1000 * MILLISECOND)
#define START       (INT64_C(1700000000) * SECOND)

static const uint8_t secret[16] = "not very secret";

static struct rate_limit *limit_of(uint64_t rate)
{
    struct rate_limit *limit = rate_limit_create(rate, secret);
    assert_non_null(limit);
    return limit;
}

static bool take(struct rate_limit *limit, struct address source, int64_t now_ns)
{
    return rate_limit_take(limit, &source, NULL, now_ns);
}

static uint64_t burst(struct rate_limit *limit, struct address source, uint64_t count,
                      int64_t now_ns)
{
    uint64_t passed = 0;
    for (uint64_t i = 0; i < count; i++)
        passed += take(limit, source, now_ns);
    return passed;
}

TEST(of_a_burst_exactly_one_seconds_worth_passes)
{
    static const uint64_t rates[] = {1, 2, 3, 7, 100, 333333, 700000, RATE_LIMIT_MOST};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct rate_limit *limit = limit_of(rates[i]);
        assert_int_equal(burst(limit, host(1), rates[i] + 10, START), rates[i]);
        rate_limit_destroy(limit);
    }
}

TEST(in_the_long_run_exactly_the_rate_passes)
{
    static const uint64_t rates[] = {1, 3, 7, 100, 499};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct rate_limit *limit = limit_of(rates[i]);
        uint64_t passed = 0;
        for (int64_t at = 0; at <= 100 * SECOND; at += MILLISECOND)
            passed += take(limit, host(1), START + at);
        assert_int_equal(passed, rates[i] + 100 * rates[i]);
        rate_limit_destroy(limit);
    }
}

TEST(the_next_passes_when_the_time_of_one_is_over_and_not_before)
{
    struct rate_limit *limit = limit_of(3);
    assert_int_equal(burst(limit, host(1), 4, START), 3);
    assert_false(take(limit, host(1), START + SECOND / 3));
    assert_true(take(limit, host(1), START + SECOND / 3 + 1));
    assert_false(take(limit, host(1), START + SECOND / 3 + 1));
    rate_limit_destroy(limit);
}

TEST(a_source_within_its_rate_is_never_refused)
{
    struct rate_limit *limit = limit_of(100);
    for (int64_t at = 0; at < 100 * SECOND; at += 10 * MILLISECOND)
        assert_true(take(limit, host(1), START + at));
    rate_limit_destroy(limit);
}

/* The difference between such times would overflow a signed number. A capture may have them. */
TEST(times_as_far_apart_as_can_be_fill_a_bucket)
{
    struct rate_limit *limit = limit_of(10);
    static const int64_t times[] = {INT64_MIN, INT64_MAX, -SECOND, INT64_MIN, 0, INT64_MAX, SECOND};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        assert_int_equal(burst(limit, host(1), 100, times[i]), 10);
    rate_limit_destroy(limit);
}

TEST(sources_at_the_end_of_time_replace_each_other)
{
    struct rate_limit *limit = limit_of(1);
    for (uint32_t i = 0; i < 4 * RATE_LIMIT_SOURCES; i++)
        assert_true(take(limit, host(i), INT64_MAX));
    rate_limit_destroy(limit);
}

TEST(a_long_silence_saves_up_no_more_than_one_second)
{
    struct rate_limit *limit = limit_of(10);
    assert_int_equal(burst(limit, host(1), 100, START), 10);
    assert_int_equal(burst(limit, host(1), 100, START + 3600 * SECOND), 10);
    rate_limit_destroy(limit);
}

TEST(sources_are_hosts_whatever_their_port)
{
    const uint8_t ipv6[16] = {0xfe, 0x80, [15] = 1};
    const uint8_t alike[4] = {0xfe, 0x80};
    const struct address sources[] = {
        host(1),
        host(2),
        address_from_ipv4(alike, 1),
        address_from_ipv6(ipv6, 1, 1),
        address_from_ipv6(ipv6, 2, 1),
    };
    struct rate_limit *limit = limit_of(5);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct address source = sources[i];
        assert_int_equal(burst(limit, source, 3, START), 3);
        source.port++;
        assert_int_equal(burst(limit, source, 3, START), 2);
    }
    rate_limit_destroy(limit);
}

TEST(slightly_older_datagrams_do_not_change_the_refill)
{
    struct rate_limit *limit = limit_of(10);
    assert_int_equal(burst(limit, host(1), 4, START), 4);
    assert_int_equal(burst(limit, host(1), 4, START - SECOND + 1), 4);
    assert_int_equal(burst(limit, host(1), 4, START - SECOND / 2), 2);
    assert_int_equal(burst(limit, host(1), 4, START + 100 * MILLISECOND), 1);
    rate_limit_destroy(limit);
}

TEST(setting_the_clock_blocks_no_source)
{
    struct rate_limit *limit = limit_of(10);
    assert_int_equal(burst(limit, host(1), 20, START), 10);
    assert_int_equal(burst(limit, host(1), 20, START - 3600 * SECOND), 10);
    assert_int_equal(burst(limit, host(1), 20, START - 3599 * SECOND), 10);
    assert_int_equal(burst(limit, host(1), 20, START + 3600 * SECOND), 10);
    rate_limit_destroy(limit);
}

/* In the worst case, 60 times as many sources as the table can hold send at the same time. */
TEST(a_source_at_its_limit_stays_there_however_many_others_come)
{
    struct rate_limit *limit = limit_of(2);
    for (uint32_t n = 0; n < 16; n++)
        assert_int_equal(burst(limit, host(n), 3, START), 2);
    for (uint32_t n = 16; n < 60 * RATE_LIMIT_SOURCES; n++)
        assert_true(take(limit, host(n), START));
    for (uint32_t n = 0; n < 16; n++)
        assert_false(take(limit, host(n), START));
    rate_limit_destroy(limit);
}

TEST(a_replaced_source_begins_with_a_full_bucket)
{
    struct rate_limit *limit = limit_of(2);
    assert_true(take(limit, host(0), START));
    for (uint32_t n = 1; n < 60 * RATE_LIMIT_SOURCES; n++)
        assert_true(take(limit, host(n), START));
    assert_int_equal(burst(limit, host(0), 3, START), 2);
    rate_limit_destroy(limit);
}

/* This is less than the number of sources that the table can hold. */
#define SOURCES 10000

/*
 * Each source sends four datagrams, two more than it may. Some sets of the table are full by
 * chance, so a few sources are replaced and send more.
 */
TEST(a_table_with_room_replaces_few_sources)
{
    struct rate_limit *limit = limit_of(2);
    uint64_t passed = 0;
    for (size_t round = 0; round < 4; round++)
        for (uint32_t n = 0; n < SOURCES; n++)
            passed += take(limit, host(n), START);
    assert_in_range(passed, 2 * SOURCES, 2 * SOURCES + SOURCES / 100);
    rate_limit_destroy(limit);
}
