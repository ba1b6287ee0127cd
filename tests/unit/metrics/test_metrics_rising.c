/*
 * Tests that a counter of bytes does not decrease when a destination discards bytes that were
 * counted.
 */

#include "collector/metrics/metrics_rising.h"
#include "tests/support/test.h"

static uint64_t told(struct metrics_rising *rising, size_t sink, uint64_t bytes)
{
    struct sink_totals totals[3] = {{.index = 0}, {.index = 2}, {.index = 3}};
    struct ledger_snapshot ledger = {.sink_count = sink + 1, .sinks = totals};
    totals[sink].bytes = bytes;
    assert_true(metrics_rising_keep(rising, &ledger));
    return totals[sink].bytes;
}

static uint64_t reported_alone(struct metrics_rising *rising, size_t index, uint64_t bytes)
{
    struct sink_totals total = {.index = index, .bytes = bytes};
    struct ledger_snapshot ledger = {.sink_count = 1, .sinks = &total};
    assert_true(metrics_rising_keep(rising, &ledger));
    return total.bytes;
}

TEST_WITH(what_is_taken_back_is_reported_until_more_was_written, NULL, NULL)
{
    struct metrics_rising rising = {0};
    (void)state;
    assert_int_equal(told(&rising, 0, 100), 100);
    assert_int_equal(told(&rising, 0, 90), 100);
    assert_int_equal(told(&rising, 0, 99), 100);
    assert_int_equal(told(&rising, 0, 101), 101);
    metrics_rising_free(&rising);
}

TEST_WITH(each_sink_rises_alone_wherever_it_stands, NULL, NULL)
{
    struct metrics_rising rising = {0};
    (void)state;
    assert_int_equal(told(&rising, 0, 100), 100);
    assert_int_equal(told(&rising, 2, 5), 5);
    assert_int_equal(told(&rising, 2, 4), 5);
    assert_int_equal(told(&rising, 1, 1), 1);
    assert_int_equal(told(&rising, 0, 50), 100);
    assert_int_equal(reported_alone(&rising, 3, 3), 5);
    assert_int_equal(reported_alone(&rising, 2, 0), 1);
    metrics_rising_free(&rising);
}
