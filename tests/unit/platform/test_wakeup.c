/* Sleeping until signalled, until a handle is ready or broken, or until the time is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "tests/support/platform/wait_end.h"

#define PATIENCE_MS 10000

static int set_up(void **state)
{
    struct wakeup *wakeup = NULL;
    struct error error;
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    *state = wakeup;
    return 0;
}

static int tear_down(void **state)
{
    wakeup_destroy(*state);
    return 0;
}

static void a_signal_before_the_wait_is_kept_and_several_are_one(void **state)
{
    struct wakeup *wakeup = *state;
    wakeup_signal(wakeup);
    wakeup_signal(wakeup);
    wakeup_signal(wakeup);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, PATIENCE_MS), WAKEUP_SIGNALLED);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, 0), WAKEUP_TIMEOUT);
}

static void a_wait_without_a_reason_ends_when_its_time_is_over(void **state)
{
    struct wakeup *wakeup = *state;
    int64_t begun = clock_monotonic_ns();
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, 30), WAKEUP_TIMEOUT);
    assert_true(clock_monotonic_ns() - begun >= 25 * INT64_C(1000000));
}

#define ROUNDS 500

struct signaller {
    struct wakeup *wakeup;
    atomic_int wanted;
};

static void signal_each_round(void *argument)
{
    struct signaller *signaller = argument;
    for (int round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&signaller->wanted) < round)
            ;
        wakeup_signal(signaller->wakeup);
    }
}

static void another_thread_signals_before_or_during_the_wait(void **state)
{
    struct signaller signaller = {.wakeup = *state};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "signaller", signal_each_round, &signaller, &error), 0);
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&signaller.wanted, round);
        assert_int_equal(wakeup_wait(signaller.wakeup, NO_HANDLE, false, PATIENCE_MS),
                         WAKEUP_SIGNALLED);
    }
    thread_join(thread);
}

static void a_handle_is_told_writable_only_where_that_is_wanted(void **state)
{
    struct wakeup *wakeup = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    wait_handle handle = wait_end_handle(end);
    assert_int_equal(wakeup_wait(wakeup, handle, true, PATIENCE_MS), WAKEUP_WRITABLE);
    assert_int_equal(wakeup_wait(wakeup, handle, false, 0), WAKEUP_TIMEOUT);
    wait_end_close(end);
}

static void a_signal_is_kept_while_a_handle_is_told(void **state)
{
    struct wakeup *wakeup = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    wait_handle handle = wait_end_handle(end);
    wakeup_signal(wakeup);
    assert_int_equal(wakeup_wait(wakeup, handle, true, PATIENCE_MS), WAKEUP_WRITABLE);
    wait_end_is_left(end);
    assert_int_equal(wakeup_wait(wakeup, handle, true, PATIENCE_MS), WAKEUP_BROKEN);
    assert_int_equal(wakeup_wait(wakeup, handle, false, PATIENCE_MS), WAKEUP_BROKEN);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, PATIENCE_MS), WAKEUP_SIGNALLED);
    wait_end_close(end);
}

/* A stream socket says "hung up", where a pipe says "error". */
static void a_peer_that_closed_is_a_broken_handle_before_all_else(void **state)
{
    struct wakeup *wakeup = *state;
    struct wait_end *end = wait_end_open(END_OF_STREAM);
    wait_handle handle = wait_end_handle(end);
    assert_int_equal(wakeup_wait(wakeup, handle, false, 0), WAKEUP_TIMEOUT);
    wait_end_is_left(end);
    wakeup_signal(wakeup);
    assert_int_equal(wakeup_wait(wakeup, handle, false, PATIENCE_MS), WAKEUP_BROKEN);
    assert_int_equal(wakeup_wait(wakeup, handle, true, PATIENCE_MS), WAKEUP_BROKEN);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, PATIENCE_MS), WAKEUP_SIGNALLED);
    wait_end_close(end);
}

#define with_wakeup(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_wakeup(a_signal_before_the_wait_is_kept_and_several_are_one),
        with_wakeup(a_wait_without_a_reason_ends_when_its_time_is_over),
        with_wakeup(another_thread_signals_before_or_during_the_wait),
        with_wakeup(a_handle_is_told_writable_only_where_that_is_wanted),
        with_wakeup(a_signal_is_kept_while_a_handle_is_told),
        with_wakeup(a_peer_that_closed_is_a_broken_handle_before_all_else),
    };
    return cmocka_run_group_tests_name("wakeup", tests, NULL, NULL);
}
