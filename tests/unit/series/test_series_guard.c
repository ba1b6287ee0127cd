#include "collector/series/series_guard.h"

#include "tests/support/test.h"

#define SECOND   INT64_C(1000000000)
#define RECEIVED (INT64_C(1700000000) * SECOND)

static const struct address somebody = {.family = ADDRESS_IPV4, .bytes = {192, 0, 2, 1}};

static struct series_guard *guard_of(struct series_limits limits)
{
    struct error error;
    if (limits.timeout == 0)
        limits.timeout = SERIES_TIMEOUT_DEFAULT;
    struct series_guard *guard = series_guard_create(&limits, &error);
    assert_non_null(guard);
    series_guard_begin_record(guard, RECEIVED);
    return guard;
}

static bool in_time(struct series_guard *guard, int64_t time_ns)
{
    return series_guard_is_in_time(guard, time_ns, RECEIVED, &somebody);
}

TEST(without_limits_there_is_no_guard)
{
    assert_false(series_guard_is_needed(&(struct series_limits){.timeout = 1}));
    assert_int_equal(series_guard_memory(&(struct series_limits){.timeout = 1}), 0);
    assert_true(series_guard_is_needed(&(struct series_limits){.max_series = 1}));
    assert_true(series_guard_is_needed(&(struct series_limits){.max_age = 1}));
    assert_true(series_guard_is_needed(&(struct series_limits){.max_ahead = 1}));
}

TEST(a_time_at_the_limits_is_accepted_and_one_nanosecond_beyond_is_not)
{
    struct series_guard *guard =
        guard_of((struct series_limits){.max_age = 60 * SECOND, .max_ahead = 5 * SECOND});
    assert_true(in_time(guard, RECEIVED));
    assert_true(in_time(guard, RECEIVED - 60 * SECOND));
    assert_false(in_time(guard, RECEIVED - 60 * SECOND - 1));
    assert_true(in_time(guard, RECEIVED + 5 * SECOND));
    assert_false(in_time(guard, RECEIVED + 5 * SECOND + 1));
    series_guard_destroy(guard);
}

TEST(a_sample_without_a_time_of_its_own_is_in_time)
{
    struct series_guard *guard = guard_of((struct series_limits){.max_age = 1, .max_ahead = 1});
    assert_true(in_time(guard, 0));
    series_guard_destroy(guard);
}

TEST(each_of_the_two_limits_works_without_the_other)
{
    struct series_guard *guard = guard_of((struct series_limits){.max_age = SECOND});
    assert_true(in_time(guard, INT64_MAX));
    assert_false(in_time(guard, RECEIVED - 2 * SECOND));
    series_guard_destroy(guard);
    guard = guard_of((struct series_limits){.max_ahead = SECOND});
    assert_true(in_time(guard, INT64_MIN));
    assert_false(in_time(guard, RECEIVED + 2 * SECOND));
    series_guard_destroy(guard);
}

TEST(the_ends_of_time_are_far_away)
{
    struct series_guard *guard = guard_of(
        (struct series_limits){.max_age = UINT64_C(100) * 366 * 86400 * SECOND, .max_ahead = 1});
    assert_false(in_time(guard, INT64_MIN));
    assert_false(in_time(guard, INT64_MAX));
    assert_true(in_time(guard, 1));
    series_guard_destroy(guard);
}

TEST(samples_out_of_time_are_reported_by_sender)
{
    struct series_report report;
    struct series_guard *guard = guard_of((struct series_limits){.max_age = SECOND});
    in_time(guard, RECEIVED - 2 * SECOND);
    in_time(guard, RECEIVED - 2 * SECOND);
    series_guard_read(guard, &report);
    assert_int_equal(report.series_most, 0);
    assert_int_equal(report.growth.late_count, 1);
    assert_int_equal(report.growth.late[0].refused, 2);
    assert_true(address_same_host(&report.growth.late[0].sender, &somebody));
    series_guard_destroy(guard);
}

TEST(the_ports_of_a_host_are_one_sender)
{
    struct series_guard *guard =
        guard_of((struct series_limits){.max_series = 10, .max_per_sender = 2});
    struct address sender = somebody;
    for (uint16_t port = 1; port <= 5; port++) {
        sender.port = port;
        assert_int_equal(series_guard_add(guard, port, &sender, NULL), port <= 2);
    }
    sender.bytes[3]++;
    assert_true(series_guard_add(guard, 6, &sender, NULL));
    series_guard_destroy(guard);
}

TEST(the_addresses_of_an_ipv6_network_are_one_sender)
{
    struct series_report report;
    struct series_guard *guard =
        guard_of((struct series_limits){.max_series = 10, .max_per_sender = 2});
    struct address sender = {.family = ADDRESS_IPV6, .bytes = {0x20, 1, 0xd, 0xb8}};
    for (uint8_t i = 1; i <= 5; i++) {
        sender.bytes[15] = i;
        assert_int_equal(series_guard_add(guard, i, &sender, NULL), i <= 2);
    }
    sender.bytes[7] = 1; /* in another /64 network */
    assert_true(series_guard_add(guard, 6, &sender, NULL));
    series_guard_read(guard, &report);
    assert_int_equal(report.series, 3);
    assert_int_equal(report.series_most, 10);
    assert_int_equal(report.growth.sender_count, 2);
    assert_int_equal(report.growth.senders[0].refused, 3);
    char text[ADDRESS_TEXT_SIZE];
    series_growth_format_sender(&report.growth.senders[0].sender, text);
    assert_string_equal(text, "2001:db8::/64");
    series_guard_destroy(guard);
}

TEST(two_guards_have_different_keys)
{
    struct series_guard *a = guard_of((struct series_limits){.max_series = 1});
    struct series_guard *b = guard_of((struct series_limits){.max_series = 1});
    assert_memory_not_equal(&a->key, &b->key, sizeof a->key);
    series_guard_destroy(a);
    series_guard_destroy(b);
}
