#include "tests/support/test.h"
#include "tools/send/pacing.h"

#define SECOND UINT64_C(1000000000)

TEST(the_nth_datagram_is_due_at_n_over_the_rate)
{
    struct pacing pacing = pacing_make(1000, 1, UINT64_MAX, 0);
    assert_int_equal(pacing_time(&pacing, 0), 0);
    assert_int_equal(pacing_time(&pacing, 1), SECOND / 1000);
    assert_int_equal(pacing_time(&pacing, UINT64_C(86400) * 1000), 86400 * SECOND);
    assert_int_equal(pacing_due(&pacing, 0), 1);
    assert_int_equal(pacing_due(&pacing, SECOND / 1000 - 1), 1);
    assert_int_equal(pacing_due(&pacing, SECOND / 1000), 2);
    assert_int_equal(pacing_due(&pacing, SECOND), 1001);
}

/*
 * A datagram must be due exactly at the time that the function returns, and not a nanosecond
 * earlier.
 */
TEST(time_and_due_agree_for_every_rate)
{
    static const uint64_t rates[] = {
        1, 3, 7, 999, 1000, 265000, 333333, 999999999, PACING_RATE_MAX};
    static const uint64_t bursts[] = {1, 2, 7, 64, 1000};
    static const uint64_t indexes[] = {0, 1, 2, 63, 64, 999, 1000003, 123456789};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++)
        for (size_t b = 0; b < sizeof bursts / sizeof bursts[0]; b++)
            for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
                struct pacing pacing = pacing_make(rates[r], bursts[b], UINT64_MAX, 0);
                uint64_t time = pacing_time(&pacing, indexes[i]);
                assert_true(pacing_due(&pacing, time) > indexes[i]);
                if (time != 0)
                    assert_true(pacing_due(&pacing, time - 1) <= indexes[i]);
            }
}

TEST(a_burst_is_due_with_its_first)
{
    struct pacing pacing = pacing_make(1000, 10, UINT64_MAX, 0);
    assert_int_equal(pacing_time(&pacing, 9), 0);
    assert_int_equal(pacing_time(&pacing, 10), SECOND / 100);
    assert_int_equal(pacing_time(&pacing, 19), SECOND / 100);
    assert_int_equal(pacing_due(&pacing, 0), 10);
    assert_int_equal(pacing_due(&pacing, SECOND / 100), 20);
}

TEST(a_duration_holds_exactly_rate_times_it)
{
    assert_int_equal(pacing_make(1000, 1, UINT64_MAX, 10 * SECOND).total, 10000);
    assert_int_equal(pacing_make(1000, 1, 500, 10 * SECOND).total, 500);
    assert_int_equal(pacing_make(3, 1, UINT64_MAX, SECOND).total, 3);
    assert_int_equal(pacing_make(3, 1, UINT64_MAX, SECOND + 1).total, 4);
    assert_int_equal(pacing_make(1, 1, UINT64_MAX, 1).total, 1);
    assert_int_equal(pacing_make(1000, 1, UINT64_MAX, 0).total, UINT64_MAX);
}

TEST(the_end_cuts_the_last_burst)
{
    struct pacing pacing = pacing_make(1000, 64, 100, 0);
    assert_int_equal(pacing_due(&pacing, 0), 64);
    assert_int_equal(pacing_due(&pacing, SECOND), 100);
}

TEST(without_a_rate_all_is_due_at_once)
{
    struct pacing pacing = pacing_make(0, 1, 12345, SECOND);
    assert_int_equal(pacing_due(&pacing, 0), 12345);
    assert_int_equal(pacing_time(&pacing, 12344), 0);
}

TEST(years_do_not_overflow)
{
    struct pacing pacing = pacing_make(PACING_RATE_MAX, 1, UINT64_MAX, INT64_MAX);
    assert_int_equal(pacing.total, INT64_MAX);
    assert_int_equal(pacing_due(&pacing, INT64_MAX - 1), INT64_MAX);
}
