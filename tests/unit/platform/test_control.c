#include <stdatomic.h>

#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000

static int set_up(void **state)
{
    struct control *control = NULL;
    struct error error;
    if (control_create(&control, &error) != 0)
        fail_msg("%s", error.text);
    *state = control;
    return 0;
}

static int tear_down(void **state)
{
    control_destroy(*state);
    return 0;
}

static enum control_event next(struct control *control)
{
    return control_wait(control, NULL, 0, PATIENCE_MS);
}

static void assert_nothing_more(struct control *control)
{
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
}

TEST_WITH(nothing_is_doubted_of_it, set_up, tear_down)
{
    assert_null(control_warning(*state));
}

TEST_WITH(a_notice_before_the_wait_is_kept_and_several_are_one, set_up, tear_down)
{
    assert_nothing_more(*state);
    control_notify(*state);
    control_notify(*state);
    assert_int_equal(next(*state), CONTROL_NOTICE);
    assert_nothing_more(*state);
}

TEST_WITH(a_wait_without_an_event_ends_when_its_time_is_over, set_up, tear_down)
{
    int64_t begun = clock_monotonic_ns();
    assert_int_equal(control_wait(*state, NULL, 0, 30), CONTROL_TIMEOUT);
    assert_true(clock_monotonic_ns() - begun >= 25 * INT64_C(1000000));
}

#define ROUNDS 500

struct notifier_thread {
    struct control *control;
    atomic_int wanted;
};

static void notify_each_round(void *argument)
{
    struct notifier_thread *notifier = argument;
    for (int round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&notifier->wanted) < round)
            this_thread_yield();
        control_notify(notifier->control);
    }
}

TEST_WITH(another_thread_notifies_before_or_during_the_wait, set_up, tear_down)
{
    struct notifier_thread notifier = {.control = *state};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "notifier", notify_each_round, &notifier, &error), 0);
    for (int round = 1; round <= ROUNDS; round++) {
        atomic_store(&notifier.wanted, round);
        assert_int_equal(control_wait(*state, NULL, 0, -1), CONTROL_NOTICE);
    }
    thread_join(thread);
}

static void tell(enum control_event event)
{
    struct error error;
    if (control_send(control_process_id(), event, &error) != 0)
        fail_msg("%s", error.text);
}

TEST_WITH(what_another_process_wants_is_reported_once, set_up, tear_down)
{
    static const enum control_event wishes[] = {CONTROL_REOPEN, CONTROL_LEDGER, CONTROL_STOP};
    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
        tell(wishes[i]);
        assert_int_equal(next(*state), wishes[i]);
        assert_nothing_more(*state);
    }
}

TEST_WITH(requests_are_reported_before_a_notice, set_up, tear_down)
{
    control_notify(*state);
    tell(CONTROL_LEDGER);
    assert_int_equal(next(*state), CONTROL_LEDGER);
    assert_int_equal(next(*state), CONTROL_NOTICE);
    assert_nothing_more(*state);
}

TEST(a_process_that_is_not_there_is_not_reached)
{
    struct error error = {0};
    assert_int_equal(control_send(4294967291, CONTROL_STOP, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_NOT_REACHED);
    assert_string_equal(error.text, "process 4294967291 is not a running sluice");
}

TEST_WITH(a_handle_is_reported_for_what_is_wanted_of_it_alone, set_up, tear_down)
{
    struct wait_end *end = wait_end_open(END_OF_STREAM);
    struct control_watch watched = {.handle = wait_end_handle(end)};
    assert_int_equal(control_wait(*state, &watched, 1, 0), CONTROL_TIMEOUT);
    watched.want_read = true;
    assert_int_equal(control_wait(*state, &watched, 1, 0), CONTROL_TIMEOUT);
    watched.want_write = true;
    assert_int_equal(control_wait(*state, &watched, 1, PATIENCE_MS), CONTROL_READY);
    watched.want_write = false;
    wait_end_is_sent(end);
    assert_int_equal(control_wait(*state, &watched, 1, PATIENCE_MS), CONTROL_READY);
    watched.want_read = false;
    assert_int_equal(control_wait(*state, &watched, 1, 0), CONTROL_TIMEOUT);
    wait_end_close(end);
}

TEST_WITH(a_handle_that_has_gone_is_reported_in_any_case, set_up, tear_down)
{
    struct wait_end *end = wait_end_open(END_OF_STREAM);
    struct control_watch watched = {.handle = wait_end_handle(end)};
    wait_end_is_left(end);
    assert_int_equal(control_wait(*state, &watched, 1, PATIENCE_MS), CONTROL_READY);
    wait_end_close(end);
}

TEST_WITH(a_notice_is_reported_before_a_handle, set_up, tear_down)
{
    struct wait_end *end = wait_end_open(END_OF_STREAM);
    struct control_watch watched = {.handle = wait_end_handle(end), .want_write = true};
    control_notify(*state);
    assert_int_equal(control_wait(*state, &watched, 1, PATIENCE_MS), CONTROL_NOTICE);
    assert_int_equal(control_wait(*state, &watched, 1, PATIENCE_MS), CONTROL_READY);
    wait_end_close(end);
}

TEST_WITH(the_last_of_as_many_handles_as_can_be_is_watched_too, set_up, tear_down)
{
    struct wait_end *ends[CONTROL_WATCHED_MAX];
    struct control_watch watched[CONTROL_WATCHED_MAX];
    for (size_t i = 0; i < CONTROL_WATCHED_MAX; i++) {
        ends[i] = wait_end_open(END_OF_STREAM);
        watched[i] = (struct control_watch){.handle = wait_end_handle(ends[i]), .want_read = true};
    }
    assert_int_equal(control_wait(*state, watched, CONTROL_WATCHED_MAX, 0), CONTROL_TIMEOUT);
    wait_end_is_sent(ends[CONTROL_WATCHED_MAX - 1]);
    assert_int_equal(control_wait(*state, watched, CONTROL_WATCHED_MAX, PATIENCE_MS),
                     CONTROL_READY);
    for (size_t i = 0; i < CONTROL_WATCHED_MAX; i++)
        wait_end_close(ends[i]);
}
