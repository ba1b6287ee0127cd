/* The middle and the spread. */
#include <math.h>

#include "tests/support/test.h"
#include "tools/bench/statistics.h"

#define NONE ((double)NAN)

static void assert_same(double found, double wanted)
{
    if (found != wanted)
        fail_msg("%.17g is not %.17g", found, wanted);
}

TEST(the_median_of_an_odd_count_is_the_one_in_the_middle)
{
    const double values[] = {5, 1, 4};
    struct spread spread = spread_of(values, 3);
    assert_same(spread.median, 4);
    assert_same(spread.least, 1);
    assert_same(spread.most, 5);
    assert_same(values[0], 5);
}

TEST(the_median_of_an_even_count_lies_between_two)
{
    const double values[] = {1, 100, 3, 2};
    assert_same(spread_of(values, 4).median, 2.5);
}

TEST(what_is_not_there_counts_for_nothing)
{
    const double values[] = {NONE, 7, NONE};
    struct spread spread = spread_of(values, 3);
    assert_same(spread.median, 7);
    assert_same(spread.most, 7);
    assert_true(isnan(spread_of(values, 1).median));
    assert_true(isnan(spread_of(values, 0).least));
}

/* The medians are 20 and 10; in each round it was three times as much. */
TEST(ratios_are_of_one_round)
{
    const double values[] = {3, 30, 300};
    const double yardstick[] = {1, 10, 100};
    struct spread spread = spread_of_ratios(values, yardstick, 3);
    assert_same(spread.least, 3);
    assert_same(spread.median, 3);
    assert_same(spread.most, 3);
}

TEST(a_round_without_a_yardstick_has_no_ratio)
{
    const double values[] = {3, 8};
    const double yardstick[] = {0, 4};
    struct spread spread = spread_of_ratios(values, yardstick, 2);
    assert_same(spread.least, 2);
    assert_same(spread.most, 2);
}
