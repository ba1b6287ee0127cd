/* So many in a second: exact, whoever takes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/base/rate_window.h"
#include "collector/platform/thread.h"

#define MS INT64_C(1000000)

static unsigned take(struct rate_window *window, uint64_t limit, int64_t at_ms, unsigned times)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < times; i++)
        taken += rate_window_take(window, limit, at_ms * MS);
    return taken;
}

static void so_many_are_taken_and_no_more_until_the_second_is_over(void **state)
{
    (void)state;
    struct rate_window window = {0};
    assert_int_equal(take(&window, 3, 5000, 2), 2);
    assert_int_equal(take(&window, 3, 5999, 5), 1);
    assert_int_equal(take(&window, 3, 6000, 5), 3);
    assert_int_equal(take(&window, 3, 6999, 5), 0);
}

static void a_second_begins_with_the_first_that_comes_in_it(void **state)
{
    (void)state;
    struct rate_window window = {0};
    assert_int_equal(take(&window, 2, 1500, 1), 1);
    assert_int_equal(take(&window, 2, 90000, 1), 1);
    assert_int_equal(take(&window, 2, 90999, 5), 1);
    assert_int_equal(take(&window, 2, 91000, 5), 2);
}

/* Threads ask the clock before they take: one may come with a time that is past. */
static void a_time_before_the_seconds_beginning_is_within_it(void **state)
{
    (void)state;
    struct rate_window window = {0};
    assert_int_equal(take(&window, 2, 7000, 1), 1);
    assert_int_equal(take(&window, 2, 6990, 5), 1);
    assert_int_equal(take(&window, 2, 7999, 5), 0);
}

static void the_most_that_can_be_counted_is_counted(void **state)
{
    (void)state;
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

static void several_threads_together_take_no_more(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_are_taken_and_no_more_until_the_second_is_over),
        cmocka_unit_test(a_second_begins_with_the_first_that_comes_in_it),
        cmocka_unit_test(a_time_before_the_seconds_beginning_is_within_it),
        cmocka_unit_test(the_most_that_can_be_counted_is_counted),
        cmocka_unit_test(several_threads_together_take_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
