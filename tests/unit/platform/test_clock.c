#include "collector/platform/clock.h"

#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)
#define YEAR   INT64_C(31556952)

TEST(a_time_of_day_is_that_of_the_system)
{
    assert_int_equal(clock_wall_ns_of(0, 5), 5);
    assert_int_equal(clock_wall_ns_of(-1, 999999999), -1);
    assert_int_equal(clock_wall_ns_of(56 * YEAR, 7), 56 * YEAR * SECOND + 7);
    assert_true(clock_wall_ns() > 50 * YEAR * SECOND);
}

/*
 * A time that is too far away becomes the last possible one. A year can still be added to it
 * without an overflow.
 */
TEST(a_time_that_is_too_far_away_is_the_last_one_that_is_not)
{
    int64_t last = clock_wall_ns_of(530 * YEAR, 0);
    assert_int_equal(last, CLOCK_SECONDS_MOST * SECOND);
    assert_int_equal(clock_wall_ns_of(CLOCK_SECONDS_MOST - 1, 999999999), last - 1);
    assert_int_equal(clock_wall_ns_of(INT64_MAX, 999999999), last);
    assert_int_equal(clock_wall_ns_of(INT64_MIN, 0), -last);
    assert_true(last < INT64_MAX - 7 * YEAR * SECOND);
}

TEST(spans_of_the_other_clock_are_right_wherever_it_began)
{
    static const int64_t begins[] = {0, 530 * YEAR, -YEAR, INT64_MAX / 2, INT64_MIN};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        int64_t before = clock_monotonic_ns_of(begins[i], 999999999);
        assert_true(before >= 0);
        assert_int_equal(clock_monotonic_ns_of(begins[i] + 2, 1) - before, SECOND + 2);
    }
}
