#include "collector/base/histogram.h"
#include "tests/support/test.h"

static void assert_noted_in(const uint64_t *bounds, uint64_t value, size_t range)
{
    struct histogram histogram = {0};
    struct histogram_totals totals = {0};
    histogram_note(&histogram, bounds, value);
    histogram_add_to(&histogram, &totals);
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        assert_int_equal(totals.ranges[i], i == range);
    assert_int_equal(totals.sum, value);
}

TEST(a_measure_falls_into_the_first_range_whose_bound_is_not_below_it)
{
    const uint64_t *const scales[] = {histogram_times, histogram_counts};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++) {
            assert_noted_in(scales[k], scales[k][i], i);
            assert_noted_in(scales[k], scales[k][i] + 1, i + 1);
        }
}

TEST(values_above_every_bound_have_their_own_range)
{
    assert_noted_in(histogram_times, UINT64_MAX, HISTOGRAM_BOUNDS);
}

TEST(bounds_ascend)
{
    for (size_t i = 1; i < HISTOGRAM_BOUNDS; i++) {
        assert_true(histogram_times[i - 1] < histogram_times[i]);
        assert_true(histogram_counts[i - 1] < histogram_counts[i]);
    }
}

TEST(several_histograms_are_read_into_one)
{
    struct histogram one = {0}, other = {0};
    struct histogram_totals totals = {0};
    histogram_note(&one, histogram_counts, 3);
    histogram_note(&one, histogram_counts, 64);
    histogram_note(&other, histogram_counts, 4);
    histogram_add_to(&one, &totals);
    histogram_add_to(&other, &totals);
    assert_int_equal(totals.ranges[3], 2);
    assert_int_equal(totals.ranges[7], 1);
    assert_int_equal(totals.sum, 71);
}
