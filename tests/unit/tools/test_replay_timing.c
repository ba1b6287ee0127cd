#include "tests/support/test.h"
#include "tools/replay/timing.h"

#define SECOND INT64_C(1000000000)
#define BEGIN  (INT64_C(1795226767) * SECOND)

TEST(a_speed_is_a_factor_or_max)
{
    double speed = -1;
    assert_true(timing_parse_speed("max", &speed));
    assert_true(speed >= 0 && speed <= 0);
    assert_true(timing_parse_speed("2x", &speed));
    assert_true(speed >= 2 && speed <= 2);
    assert_true(timing_parse_speed("0.25x", &speed));
    assert_true(speed >= 0.25 && speed <= 0.25);
    static const char *const wrong[] = {"",     "x",    "2",    "2X",       "0x",   "-1x",
                                        "+1x",  " 1x",  "1x ",  "1.x",      ".5x",  "nanx",
                                        "infx", "1e3x", "0x10", "9999999x", "maxx", "1,5x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (timing_parse_speed(wrong[i], &speed))
            fail_msg("'%s' was taken for a speed", wrong[i]);
}

TEST(the_gaps_are_those_captured_divided_by_the_speed)
{
    struct timing once = {.speed = 1}, twice = {.speed = 2}, half = {.speed = 0.5};
    assert_int_equal(timing_due(&once, BEGIN), 0);
    assert_int_equal(timing_due(&once, BEGIN + 1), 1);
    assert_int_equal(timing_due(&once, BEGIN + 3 * SECOND), 3 * SECOND);
    assert_int_equal(timing_due(&twice, BEGIN), 0);
    assert_int_equal(timing_due(&twice, BEGIN + 3 * SECOND), 3 * SECOND / 2);
    assert_int_equal(timing_due(&half, BEGIN), 0);
    assert_int_equal(timing_due(&half, BEGIN + 3 * SECOND), 6 * SECOND);
}

TEST(a_time_that_goes_back_or_is_missing_is_the_one_before)
{
    struct timing timing = {.speed = 1};
    assert_int_equal(timing_due(&timing, 0), 0);
    assert_int_equal(timing_due(&timing, BEGIN), 0);
    assert_int_equal(timing_due(&timing, BEGIN + 5), 5);
    assert_int_equal(timing_due(&timing, BEGIN - SECOND), 5);
    assert_int_equal(timing_due(&timing, 0), 5);
    assert_int_equal(timing_due(&timing, BEGIN + 7), 7);
}

TEST(max_waits_for_nothing)
{
    struct timing timing = {.speed = 0};
    assert_int_equal(timing_due(&timing, BEGIN), 0);
    assert_int_equal(timing_due(&timing, BEGIN + 100 * SECOND), 0);
}

TEST(absurd_times_do_not_overflow)
{
    struct timing timing = {.speed = 1e-6};
    assert_int_equal(timing_due(&timing, 1), 0);
    int64_t due = timing_due(&timing, INT64_MAX);
    assert_true(due > INT64_MAX / 4 && due < INT64_MAX / 2);
}
