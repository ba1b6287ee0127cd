/*
 * Tests the notifier that uses ProcessSocketNotifications with errors, and with packets of other
 * kinds. The contract tests cannot produce these.
 */
#include <string.h>

#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/watching.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

static SOCKET handle_of(const struct watched *watched)
{
    return (SOCKET)udp_socket_handle(watched->socket);
}

static void tell(const struct watched *watched, DWORD events)
{
    assert_true(emulation_notify(handle_of(watched), events));
}

/* --- errors ----------------------------------------------------------------------------------- */

/* The failures of a call: the call itself fails, or it succeeds and its only registration fails. */
static const struct {
    DWORD returned;
    DWORD result;
    const char *number;
} failures[] = {
    {WSAENETDOWN, ERROR_SUCCESS, "10050"},
    {ERROR_SUCCESS, WSAEINVAL, "10022"},
    {WAIT_TIMEOUT, WSAEINVAL, "10022"},
};

#define FAILURES (sizeof failures / sizeof failures[0])

static void expect_failure(int returned, const struct error *error, const char *number)
{
    assert_int_equal(returned, -1);
    assert_int_equal(error->code, EXIT_CODE_INTERNAL);
    assert_non_null(strstr(error->text, number));
}

/*
 * Expects that the removal fails with ERROR_NOT_FOUND. A call of the system would fail with another
 * error.
 */
static void expect_unknown(struct watched *watched)
{
    struct error error = {.code = EXIT_CODE_OK};
    emulation_fail_next(WSAENETDOWN, ERROR_SUCCESS);
    int returned =
        notifier_remove(watching.notifier, udp_socket_handle(watched->socket), watched, &error);
    emulation_fail_next(ERROR_SUCCESS, ERROR_SUCCESS);
    expect_failure(returned, &error, "1168");
}

TEST_WITH(what_the_system_refuses_to_watch_is_reported_with_its_reason, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 0; i < FAILURES; i++) {
        struct error error = {.code = EXIT_CODE_OK};
        wait_handle handle = udp_socket_handle(watched->socket);
        stop_watching(watched);
        wait_until(watched->removed, 1);
        watched->removed = 0;
        emulation_fail_next(failures[i].returned, failures[i].result);
        int returned = notifier_add(watching.notifier, handle, watched, &error);
        expect_failure(returned, &error, failures[i].number);
        expect_unknown(watched);
        assert_int_equal(notifier_add(watching.notifier, handle, watched, &error), 0);
        send_to(watched, "x", 1);
        receive_by_events(watched, i + 1);
    }
}

TEST_WITH(a_call_that_found_no_packet_in_time_has_succeeded, watching_set_up, watching_tear_down)
{
    (void)state;
    emulation_fail_next(WAIT_TIMEOUT, ERROR_SUCCESS);
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    receive_by_events(watched, 1);
}

/* --- removal ---------------------------------------------------------------------------------- */

TEST_WITH(a_removal_that_fails_is_tried_again, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < FAILURES; i++) {
        struct watched *watched = watch_and_bind(i);
        emulation_fail_next(failures[i].returned, failures[i].result);
        stop_watching(watched);
        assert_int_equal(wait_once(MANY_EVENTS, 20), 0);
        /* The socket is still registered, so emulation_notify() succeeds. */
        assert_true(emulation_notify(handle_of(watched), SOCKET_EVENT_IN));
        wait_until(watched->removed, 1);
        assert_int_equal(watched->ready, 0);
    }
    assert_int_equal(notifier_unremoved(watching.notifier), 0);
}

/*
 * The removal of one socket is never answered, and that of the other one fails each time. A single
 * wait of five seconds gives up both.
 */
TEST_WITH(a_removal_that_never_succeeds_is_given_up, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *silent = watch_and_bind(0), *failing = watch_and_bind(1);
    emulation_hold_removals(true);
    stop_watching(silent);
    emulation_fail_removals(SIZE_MAX);
    stop_watching(failing);
    wait_until(silent->removed, 1);
    wait_until(failing->removed, 1);
    assert_int_equal(notifier_unremoved(watching.notifier), 2);
    emulation_fail_removals(0);
    emulation_hold_removals(false);
    /* The REMOVE packet comes late, and is ignored. */
    assert_int_equal(wait_once(MANY_EVENTS, 50), 0);
    assert_int_equal(silent->removed, 1);
    assert_int_equal(silent->ready, 0);
}

TEST_WITH(a_removal_is_asked_for_once, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    stop_watching(watched);
    expect_unknown(watched);
    wait_until(watched->removed, 1);
}

/* --- packets ---------------------------------------------------------------------------------- */

/* The socket becomes ready, so that a receive finds the reason. */
TEST_WITH(an_error_and_the_end_of_something_make_a_socket_ready, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    tell(watched, SOCKET_EVENT_ERR);
    wait_until(watched->ready, 1);
    tell(watched, SOCKET_EVENT_HANGUP);
    wait_until(watched->ready, 2);
    tell(watched, SOCKET_EVENT_IN | SOCKET_EVENT_ERR | SOCKET_EVENT_HANGUP);
    wait_until(watched->ready, 3);
}

TEST_WITH(one_packet_may_report_data_and_the_removal, watching_set_up, watching_tear_down)
{
    (void)state;
    static const size_t capacities[] = {1, 2, MANY_EVENTS};
    for (size_t i = 0; i < 3; i++) {
        struct watched *watched = watch_and_bind(i);
        tell(watched, SOCKET_EVENT_IN | SOCKET_EVENT_REMOVE);
        for (int waits = 0; waits < 5 && watched->removed == 0; waits++)
            wait_once(capacities[i], PATIENCE_MS);
        assert_int_equal(watched->ready, 1);
        assert_int_equal(watched->removed, 1);
    }
}

TEST_WITH(the_same_of_several_threads_waits_for_the_one_that_was_notified, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct error error;
    notifier_destroy(watching.notifier);
    assert_int_equal(notifier_create(&watching.notifier, watching_backend, 2, &error), 0);
    struct watched *watched = watch_and_bind(0);
    tell(watched, SOCKET_EVENT_ERR | SOCKET_EVENT_REMOVE);
    struct notifier_event event;
    assert_int_equal(notifier_wait(watching.notifier, 1, &event, 1, PATIENCE_MS), 1);
    assert_int_equal(event.type, NOTIFIER_READY);
    for (int i = 0; i < 5; i++)
        assert_int_equal(wait_once(1, 20), 0);
    assert_int_equal(notifier_wait(watching.notifier, 1, &event, 1, PATIENCE_MS), 1);
    assert_int_equal(event.type, NOTIFIER_REMOVED);
    assert_ptr_equal(event.token, watched);
}

/* --- idling ----------------------------------------------------------------------------------- */

/* Returns the processor time of the process in nanoseconds. A FILETIME has units of 100 ns. */
static int64_t processor_time(void)
{
    FILETIME created, ended, kernel, user;
    assert_true(GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user));
    int64_t low = (int64_t)kernel.dwLowDateTime + user.dwLowDateTime;
    int64_t high = (int64_t)kernel.dwHighDateTime + user.dwHighDateTime;
    return (high * INT64_C(4294967296) + low) * 100;
}

TEST_WITH(an_idle_wait_takes_no_processor_time, watching_set_up, watching_tear_down)
{
    (void)state;
    watch_and_bind(0);
    settle();
    int64_t before = processor_time();
    wait_once(MANY_EVENTS, 500);
    assert_true(processor_time() - before < 100 * INT64_C(1000000));
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    return test_run_all(watching_backend->name);
}
