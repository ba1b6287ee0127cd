/* Tests that a limit per second holds exactly with any number of threads. */

#include "collector/base/rate_window.h"
#include "collector/platform/thread.h"
#include "tests/support/test.h"

#define MS INT64_C(1000000)

static unsigned take(struct rate_window *window, uint64_t limit, int64_t at_ms, unsigned times)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < times; i++)
        taken += rate_window_take(window, limit, at_ms * MS);
    return taken;
}

TEST(the_limit_holds_until_the_second_is_over)
{
    struct rate_window window = {0};
    assert_int_equal(take(&window, 3, 5000, 2), 2);
    assert_int_equal(take(&window, 3, 5999, 5), 1);
    assert_int_equal(take(&window, 3, 6000, 5), 3);
    assert_int_equal(take(&window, 3, 6999, 5), 0);
}

TEST(a_second_begins_with_the_first_that_comes_in_it)
{
    struct rate_window window = {0};
    assert_int_equal(take(&window, 2, 1500, 1), 1);
    assert_int_equal(take(&window, 2, 90000, 1), 1);
    assert_int_equal(take(&window, 2, 90999, 5), 1);
    assert_int_equal(take(&window, 2, 91000, 5), 2);
}

/*
 * Passes a time that is earlier than the window's begin. A thread reads the clock before it calls
 * rate_window_take, so another thread may have begun the window after that.
 */
TEST(a_time_before_the_seconds_beginning_is_within_it)
{
    struct rate_window window = {0};
    assert_int_equal(take(&window, 2, 7000, 1), 1);
    assert_int_equal(take(&window, 2, 6990, 5), 1);
    assert_int_equal(take(&window, 2, 7999, 5), 0);
}

TEST(the_most_that_can_be_counted_is_counted)
{
    struct rate_window window = {0};
    assert_int_equal(take(&window, RATE_WINDOW_MOST, 100000, RATE_WINDOW_MOST + 10),
                     RATE_WINDOW_MOST);
}

#define TAKERS 4

struct taker {
    struct rate_window *window;
    unsigned taken;
};

static void run(void *argument)
{
    struct taker *taker = argument;
    taker->taken = take(taker->window, 1000, 5000, 1000);
}

TEST(several_threads_together_take_no_more)
{
    struct rate_window window = {0};
    struct taker takers[TAKERS];
    struct thread *threads[TAKERS];
    struct error error;
    unsigned taken = 0;
    for (int i = 0; i < TAKERS; i++) {
        takers[i] = (struct taker){.window = &window};
        assert_int_equal(thread_start(&threads[i], "taker", run, &takers[i], &error), 0);
    }
    for (int i = 0; i < TAKERS; i++) {
        thread_join(threads[i]);
        taken += takers[i].taken;
    }
    assert_int_equal(taken, 1000);
}
