/* Tests the series of a sink: how many there are, which are kept, and which are forgotten. */
#include "collector/series/series_table.h"

#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define START 1700000000U

static struct series_table *table_of(size_t series, size_t per_sender, uint32_t timeout_s)
{
    struct series_table *table = series_table_create(&(struct series_table_options){
        .series = series, .per_sender = per_sender, .timeout_s = timeout_s});
    assert_non_null(table);
    return table;
}

static uint64_t print_of(uint64_t number)
{
    return next_random(&number);
}

enum outcome { KNOWN, ADDED, TABLE_FULL, SENDER_FULL };

static enum outcome sample(struct series_table *table, uint64_t series, uint64_t sender,
                           uint32_t now_s)
{
    series_table_tick(table, now_s);
    if (series_table_touch(table, print_of(series), now_s))
        return KNOWN;
    switch (series_table_add(table, print_of(series), print_of(sender), now_s)) {
    case SERIES_TABLE_FULL:
        return TABLE_FULL;
    case SERIES_SENDER_FULL:
        return SENDER_FULL;
    case SERIES_ADDED:
        break;
    }
    return ADDED;
}

TEST(exactly_as_many_series_as_the_limit_are_written_and_they_stay)
{
    static const size_t limits[] = {1, 2, 3, 7, 100, 1000, 12345};
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        struct series_table *table = table_of(limits[k], 0, 3600);
        for (size_t i = 0; i < limits[k]; i++)
            assert_int_equal(sample(table, i, 1, START), ADDED);
        for (size_t i = 0; i < 2 * limits[k]; i++)
            assert_int_equal(sample(table, i, 1, START + 1), i < limits[k] ? KNOWN : TABLE_FULL);
        assert_int_equal(series_table_count(table), limits[k]);
        series_table_destroy(table);
    }
}

TEST(a_fingerprint_of_zero_is_a_series_like_others)
{
    struct series_table *table = table_of(2, 0, 3600);
    assert_false(series_table_touch(table, 0, START));
    assert_int_equal(series_table_add(table, 0, 1, START), SERIES_ADDED);
    assert_true(series_table_touch(table, 0, START));
    assert_int_equal(series_table_count(table), 1);
    series_table_destroy(table);
}

TEST(a_sender_has_at_most_its_share_and_others_have_theirs)
{
    struct series_table *table = table_of(10, 4, 3600);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(sample(table, i, 1, START), i < 4 ? ADDED : SENDER_FULL);
    for (uint64_t i = 200; i < 300; i++)
        assert_int_equal(sample(table, i, 2, START), i < 204 ? ADDED : SENDER_FULL);
    for (uint64_t i = 400; i < 404; i++)
        assert_int_equal(sample(table, i, 3, START), i < 402 ? ADDED : TABLE_FULL);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(sample(table, i, 1, START), KNOWN);
    series_table_destroy(table);
}

TEST(a_known_series_counts_for_the_sender_that_brought_it_only)
{
    struct series_table *table = table_of(10, 1, 3600);
    assert_int_equal(sample(table, 1, 1, START), ADDED);
    assert_int_equal(sample(table, 1, 2, START), KNOWN);
    assert_int_equal(sample(table, 2, 2, START), ADDED);
    assert_int_equal(sample(table, 3, 2, START), SENDER_FULL);
    series_table_destroy(table);
}

TEST(there_is_room_for_one_sender_of_each_series)
{
    struct series_table *table = table_of(5000, 1, 3600);
    for (uint64_t i = 0; i < 5000; i++)
        assert_int_equal(sample(table, i, i, START), ADDED);
    assert_int_equal(sample(table, 5000, 5000, START), TABLE_FULL);
    series_table_destroy(table);
}

TEST(an_idle_series_is_forgotten_for_a_new_one_after_the_timeout_and_not_before)
{
    struct series_table *table = table_of(2, 0, 60);
    assert_int_equal(sample(table, 1, 1, START), ADDED);
    assert_int_equal(sample(table, 2, 1, START + 30), ADDED);
    assert_int_equal(sample(table, 3, 1, START + 60), TABLE_FULL);
    assert_int_equal(sample(table, 3, 1, START + 61), ADDED);
    assert_int_equal(sample(table, 2, 1, START + 62), KNOWN);
    assert_int_equal(sample(table, 1, 1, START + 121), TABLE_FULL);
    assert_int_equal(sample(table, 1, 1, START + 122), ADDED); /* replaces series 3 */
    series_table_destroy(table);
}

TEST(an_idle_series_of_a_sender_makes_room_for_its_next_one)
{
    struct series_table *table = table_of(100, 1, 60);
    assert_int_equal(sample(table, 1, 1, START), ADDED);
    assert_int_equal(sample(table, 2, 1, START + 60), SENDER_FULL);
    assert_int_equal(sample(table, 2, 1, START + 61), ADDED);
    series_table_destroy(table);
}

TEST(series_are_forgotten_within_an_eighth_of_the_timeout_while_others_have_samples)
{
    struct series_table *table = table_of(10000, 0, 80);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(sample(table, i, 1, START), ADDED);
    for (uint32_t second = 1; second <= 80; second++)
        assert_int_equal(sample(table, 5, 1, START + second), KNOWN);
    assert_int_equal(series_table_count(table), 10000);
    for (uint32_t second = 81; second <= 91; second++)
        assert_int_equal(sample(table, 5, 1, START + second), KNOWN);
    assert_int_equal(series_table_count(table), 1);
    series_table_destroy(table);
}

TEST(the_work_of_one_record_is_bounded_after_a_long_pause)
{
    struct series_table *table = table_of(100000, 0, 10);
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(sample(table, i, 1, START), ADDED);
    series_table_tick(table, START + 100000);
    assert_true(series_table_count(table) > 90000);
    for (size_t i = 0; i < 40; i++)
        series_table_tick(table, START + 100000);
    assert_int_equal(series_table_count(table), 0);
    series_table_destroy(table);
}

TEST(a_clock_that_is_set_back_forgets_nothing_and_one_that_goes_on_forgets_later)
{
    struct series_table *table = table_of(1, 0, 60);
    assert_int_equal(sample(table, 1, 1, START), ADDED);
    assert_int_equal(sample(table, 2, 1, START - 100000), TABLE_FULL);
    assert_int_equal(sample(table, 1, 1, START - 100000), KNOWN);
    assert_int_equal(sample(table, 2, 1, START + 60), TABLE_FULL);
    assert_int_equal(sample(table, 2, 1, START + 61), ADDED);
    series_table_destroy(table);
}

TEST(time_goes_on_where_its_32_bits_wrap)
{
    struct series_table *table = table_of(1, 0, 60);
    assert_int_equal(sample(table, 1, 1, UINT32_MAX - 10), ADDED);
    assert_int_equal(sample(table, 2, 1, 49), TABLE_FULL);
    assert_int_equal(sample(table, 2, 1, 50), ADDED);
    series_table_destroy(table);
}
