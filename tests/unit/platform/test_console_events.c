#include <stdatomic.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/thread.h"
#include "collector/platform/windows/console_events.h"
#include "collector/platform/windows/control_kinds.h"
#include "collector/platform/windows/control_post.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000

static struct control *control_made(void)
{
    struct control *control = NULL;
    struct error error;
    if (control_create(&control, &error) != 0)
        fail_msg("%s", error.text);
    return control;
}

static enum control_event next(struct control *control)
{
    return control_wait(control, NULL, 0, PATIENCE_MS);
}

TEST(each_ctrl_c_and_ctrl_break_counts)
{
    struct control *control = control_made();
    assert_true(console_event(CTRL_C_EVENT));
    assert_true(console_event(CTRL_BREAK_EVENT));
    assert_true(console_event(CTRL_C_EVENT));
    for (int i = 0; i < 3; i++)
        assert_int_equal(next(control), CONTROL_STOP);
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
    control_destroy(control);
}

TEST(without_a_control_ctrl_c_is_left_to_the_system)
{
    assert_false(console_event(CTRL_C_EVENT));
    control_destroy(control_made());
    assert_false(console_event(CTRL_C_EVENT));
    assert_false(console_event(CTRL_CLOSE_EVENT));
    assert_false(control_post(CONTROL_STOP));
}

TEST(without_a_control_no_other_process_reaches_this_one)
{
    struct error error;
    control_destroy(control_made());
    assert_int_equal(control_send(control_process_id(), CONTROL_STOP, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_NOT_REACHED);
}

/* Another program has created the event first, as one might do to control this process. */
TEST(where_others_cannot_reach_it_all_else_works)
{
    wchar_t name[CONTROL_NAME_SIZE];
    control_kind_name(1, GetCurrentProcessId(), name);
    HANDLE event = CreateEventW(NULL, FALSE, FALSE, name);
    assert_non_null(event);
    struct control *control = control_made();
    assert_non_null(strstr(control_warning(control), "sluice ctl cannot reach this process"));
    SetEvent(event);
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
    assert_true(console_event(CTRL_C_EVENT));
    assert_int_equal(next(control), CONTROL_STOP);
    control_destroy(control);
    CloseHandle(event);
}

TEST(an_event_that_is_none_of_ours_is_left_to_the_system)
{
    struct control *control = control_made();
    assert_false(console_event(3));
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
    control_destroy(control);
}

struct closing {
    DWORD type;
    atomic_bool returned;
    BOOL result;
};

static void report_closing(void *argument)
{
    struct closing *closing = argument;
    closing->result = console_event(closing->type);
    atomic_store(&closing->returned, true);
}

/*
 * The system ends the process as soon as the handler returns, so the handler waits until all is
 * written.
 */
TEST(closing_and_going_down_wait_until_all_is_drained)
{
    static const DWORD types[] = {CTRL_CLOSE_EVENT, CTRL_SHUTDOWN_EVENT};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct control *control = control_made();
        struct closing closing = {.type = types[i]};
        struct thread *thread;
        struct error error;
        int64_t begun = clock_monotonic_ns();
        assert_int_equal(thread_start(&thread, "closing", report_closing, &closing, &error), 0);
        assert_int_equal(next(control), CONTROL_STOP);
        assert_false(atomic_load(&closing.returned));
        control_destroy(control);
        thread_join(thread);
        assert_true(closing.result);
        assert_true(clock_monotonic_ns() - begun < INT64_C(3900000000));
    }
}

TEST(closing_waits_no_longer_than_the_system_does)
{
    struct control *control = control_made();
    int64_t begun = clock_monotonic_ns();
    assert_true(console_event(CTRL_CLOSE_EVENT));
    int64_t passed = clock_monotonic_ns() - begun;
    assert_true(passed >= INT64_C(3900000000) && passed < INT64_C(4900000000));
    assert_int_equal(next(control), CONTROL_STOP);
    control_destroy(control);
}

/*
 * Both ways report the same stop. If it counted twice, the second one would be an immediate stop.
 */
TEST(what_is_said_of_one_thing_in_two_ways_counts_once)
{
    assert_false(control_post_first(CONTROL_STOP));
    struct control *control = control_made();
    assert_true(control_post_first(CONTROL_STOP));
    assert_true(control_post_first(CONTROL_STOP));
    assert_int_equal(next(control), CONTROL_STOP);
    assert_true(control_post_first(CONTROL_STOP));
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
    assert_true(control_post(CONTROL_STOP));
    assert_int_equal(next(control), CONTROL_STOP);
    control_destroy(control);
}

TEST(what_another_thread_posts_is_reported_once_for_each)
{
    struct control *control = control_made();
    assert_true(control_post(CONTROL_LEDGER));
    assert_true(control_post(CONTROL_REOPEN));
    assert_true(control_post(CONTROL_REOPEN));
    assert_true(control_post(CONTROL_STOP));
    assert_false(control_post(CONTROL_NOTICE));
    control_notify(control);
    assert_int_equal(next(control), CONTROL_STOP);
    assert_int_equal(next(control), CONTROL_REOPEN);
    assert_int_equal(next(control), CONTROL_REOPEN);
    assert_int_equal(next(control), CONTROL_LEDGER);
    assert_int_equal(next(control), CONTROL_NOTICE);
    assert_int_equal(control_wait(control, NULL, 0, 0), CONTROL_TIMEOUT);
    control_destroy(control);
}
