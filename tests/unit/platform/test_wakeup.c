#include <stdatomic.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

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

TEST_WITH(a_signal_before_the_wait_is_kept_and_several_are_one, set_up, tear_down)
{
    struct wakeup *wakeup = *state;
    wakeup_signal(wakeup);
    wakeup_signal(wakeup);
    wakeup_signal(wakeup);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, PATIENCE_MS), WAKEUP_SIGNALLED);
    assert_int_equal(wakeup_wait(wakeup, NO_HANDLE, false, 0), WAKEUP_TIMEOUT);
}

TEST_WITH(a_wait_without_a_reason_ends_when_its_time_is_over, set_up, tear_down)
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

TEST_WITH(another_thread_signals_before_or_during_the_wait, set_up, tear_down)
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

TEST_WITH(a_handle_is_reported_writable_only_where_that_is_wanted, set_up, tear_down)
{
    struct wakeup *wakeup = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    wait_handle handle = wait_end_handle(end);
    assert_int_equal(wakeup_wait(wakeup, handle, true, PATIENCE_MS), WAKEUP_WRITABLE);
    assert_int_equal(wakeup_wait(wakeup, handle, false, 0), WAKEUP_TIMEOUT);
    wait_end_close(end);
}

TEST_WITH(a_signal_is_kept_while_a_handle_is_reported, set_up, tear_down)
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

/*
 * The peer has closed. The system reports this as a hang-up for a stream socket, and as an error
 * for a pipe.
 */
TEST_WITH(a_peer_that_closed_is_a_broken_handle_before_all_else, set_up, tear_down)
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
