/*
 * Tests which sealed datagrams are accepted, and that each is accepted at most once
 * (seal_window.h).
 */
#include <string.h>

#include "collector/senders/seal_window.h"
#include "tests/support/test.h"

static struct seal_sessions sessions;

static void begin(int64_t floor_ns)
{
    seal_sessions_init(&sessions, floor_ns);
}

#define assert_take(session, counter, time_ns, verdict)                                            \
    assert_int_equal(seal_sessions_take(&sessions, (session), (counter), (time_ns)), (verdict))

/* --- one session ------------------------------------------------------------------------------ */

TEST(a_counter_is_accepted_once)
{
    begin(0);
    for (uint64_t counter = 1; counter < 3000; counter++) {
        assert_take(5, counter, 10, SEAL_ACCEPTED);
        assert_take(5, counter, 10, SEAL_REPLAYED);
    }
}

TEST(counters_may_come_in_any_order_within_the_window)
{
    begin(0);
    assert_take(5, SEAL_WINDOW, 10, SEAL_ACCEPTED);
    for (uint64_t counter = SEAL_WINDOW - 1; counter != 0; counter--)
        assert_take(5, counter, 10, SEAL_ACCEPTED);
    for (uint64_t counter = 1; counter <= SEAL_WINDOW; counter++)
        assert_take(5, counter, 10, SEAL_REPLAYED);
}

TEST(a_counter_below_the_window_is_refused_though_it_never_came)
{
    begin(0);
    assert_take(5, SEAL_WINDOW + 1, 10, SEAL_ACCEPTED);
    assert_take(5, 1, 10, SEAL_REPLAYED);
    assert_take(5, 2, 10, SEAL_ACCEPTED);
}

TEST(a_window_that_jumps_forgets_no_counter_that_it_still_covers)
{
    begin(0);
    for (uint64_t counter = 1; counter <= 100; counter++)
        assert_take(5, counter, 10, SEAL_ACCEPTED);
    assert_take(5, SEAL_WINDOW + 50, 10, SEAL_ACCEPTED);
    assert_take(5, 51, 10, SEAL_REPLAYED);
    assert_take(5, 100, 10, SEAL_REPLAYED);
    assert_take(5, 101, 10, SEAL_ACCEPTED);
    assert_take(5, SEAL_WINDOW + 49, 10, SEAL_ACCEPTED);
}

TEST(the_largest_counters_are_counters)
{
    begin(0);
    assert_take(5, 1, 10, SEAL_ACCEPTED);
    assert_take(5, UINT64_MAX, 10, SEAL_ACCEPTED);
    assert_take(5, UINT64_MAX, 10, SEAL_REPLAYED);
    assert_take(5, 1, 10, SEAL_REPLAYED);
    assert_take(5, UINT64_MAX - SEAL_WINDOW, 10, SEAL_REPLAYED);
    assert_take(5, UINT64_MAX - SEAL_WINDOW + 1, 10, SEAL_ACCEPTED);
}

/* --- several sessions ------------------------------------------------------------------------- */

TEST(sessions_have_windows_of_their_own)
{
    begin(0);
    for (uint64_t session = 0; session < SEAL_SESSIONS; session++)
        assert_take(session, 9, 10, SEAL_ACCEPTED);
    for (uint64_t session = 0; session < SEAL_SESSIONS; session++)
        assert_take(session, 9, 10, SEAL_REPLAYED);
}

TEST(a_floor_that_is_raised_also_holds_for_sessions_that_are_known)
{
    begin(0);
    assert_take(5, 1, 10, SEAL_ACCEPTED);
    sessions.floor_ns = 7;
    assert_int_equal(seal_sessions_floor(&sessions, 5), 0);
    assert_int_equal(seal_sessions_floor(&sessions, 6), 7);
    seal_sessions_raise_floor(&sessions, 20);
    assert_int_equal(seal_sessions_floor(&sessions, 5), 20);
    assert_take(5, 2, 20, SEAL_STALE);
    assert_take(6, 1, 20, SEAL_STALE);
    assert_take(5, 2, 21, SEAL_ACCEPTED);
    /* The new floor is lower than the present one, so it has no effect. */
    seal_sessions_raise_floor(&sessions, 15);
    assert_take(5, 3, 20, SEAL_STALE);
    assert_take(6, 1, 21, SEAL_ACCEPTED);
    assert_int_equal(seal_sessions_latest(&sessions), 21);
}

TEST(a_new_session_accepts_only_what_is_later_than_the_floor)
{
    begin(100);
    assert_take(5, 1, 99, SEAL_STALE);
    assert_take(5, 1, 100, SEAL_STALE);
    assert_take(5, 1, 101, SEAL_ACCEPTED);
    assert_take(5, 2, 100, SEAL_STALE);
    assert_take(5, 2, 101, SEAL_ACCEPTED);
}

static void fill(void)
{
    begin(0);
    for (uint64_t session = 0; session < SEAL_SESSIONS; session++)
        assert_take(session, 1, 10 + (int64_t)session, SEAL_ACCEPTED);
}

TEST(the_session_whose_time_is_oldest_gives_way_and_raises_the_floor)
{
    fill();
    assert_take(0, 2, 30, SEAL_ACCEPTED); /* now session 1 is the oldest */
    assert_take(8, 1, 40, SEAL_ACCEPTED);
    assert_int_equal(sessions.floor_ns, 11);
    assert_take(1, 1, 11, SEAL_STALE);
    assert_take(0, 1, 10, SEAL_REPLAYED);
    assert_take(2, 1, 12, SEAL_REPLAYED);
}

TEST(a_known_session_is_not_measured_against_a_floor_that_rose_later)
{
    fill();
    assert_take(7, 3, 50, SEAL_ACCEPTED);
    for (uint64_t session = 100; session < 100 + SEAL_SESSIONS - 1; session++)
        assert_take(session, 1, 60, SEAL_ACCEPTED);
    assert_int_equal(sessions.floor_ns, 16);
    assert_take(7, 2, 9, SEAL_ACCEPTED);
}

TEST(a_session_that_comes_back_repeats_nothing)
{
    fill();
    assert_take(0, 5, 10, SEAL_ACCEPTED);
    assert_take(8, 1, 40, SEAL_ACCEPTED); /* session 0 is forgotten */
    assert_take(0, 7, 50, SEAL_ACCEPTED); /* session 0 returns, and session 1 is forgotten */
    assert_take(0, 5, 10, SEAL_STALE);
    assert_take(0, 1, 10, SEAL_STALE);
    assert_take(0, 6, 50, SEAL_ACCEPTED);
}

TEST(what_is_refused_changes_nothing)
{
    fill();
    const struct seal_sessions before = sessions;
    assert_take(3, 1, 500, SEAL_REPLAYED);
    assert_take(99, 1, 0, SEAL_STALE);
    assert_memory_equal(&sessions, &before, sizeof before);
}

TEST(the_latest_time_is_the_largest_that_was_accepted)
{
    begin(5);
    assert_int_equal(seal_sessions_latest(&sessions), 5);
    assert_take(1, 1, 90, SEAL_ACCEPTED);
    assert_take(1, 2, 80, SEAL_ACCEPTED);
    assert_int_equal(seal_sessions_latest(&sessions), 90);
}
