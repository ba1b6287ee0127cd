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
    const struct series series = {{5, 1, 4}, 3};
    struct spread spread = spread_of(&series);
    assert_same(spread.median, 4);
    assert_same(spread.least, 1);
    assert_same(spread.most, 5);
    assert_same(series.values[0], 5);
}

TEST(the_median_of_an_even_count_lies_between_two)
{
    const struct series series = {{1, 100, 3, 2}, 4};
    assert_same(spread_of(&series).median, 2.5);
}

TEST(what_is_not_there_counts_for_nothing)
{
    struct series series = {{NONE, 7, NONE}, 3};
    struct spread spread = spread_of(&series);
    assert_same(spread.median, 7);
    assert_same(spread.most, 7);
    series.count = 1;
    assert_true(isnan(spread_of(&series).median));
    series.count = 0;
    assert_true(isnan(spread_of(&series).least));
}

TEST(ratios_are_of_one_round)
{
    /*
     * The ratio of the two least values would be 2, that of the middle ones 3, and that of the
     * largest ones 1.
     */
    const struct series series = {{2, 30, 40}, 3};
    const struct series yardstick = {{1, 10, 40}, 3};
    struct spread spread = spread_of_ratios(&series, &yardstick);
    assert_same(spread.least, 1);
    assert_same(spread.median, 2);
    assert_same(spread.most, 3);
}

TEST(a_round_without_a_yardstick_has_no_ratio)
{
    const struct series series = {{3, 8}, 2};
    const struct series yardstick = {{0, 4}, 2};
    struct spread spread = spread_of_ratios(&series, &yardstick);
    assert_same(spread.least, 2);
    assert_same(spread.most, 2);
}
