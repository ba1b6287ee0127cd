/*
 * Tests the notifier for streams that uses ProcessSocketNotifications with errors, and with packets
 * of other kinds. The contract tests cannot produce these.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/windows/psn_removal.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/stream_port.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define EVERYTHING  (NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP)

static struct {
    struct notifier *notifier;
    wait_handle listening, client, server;
    struct address bound;
    char token, other;
    size_t closed;    /* number of calls of note_close */
    size_t abandoned; /* emulation_abandoned() at the beginning of the test */
} fixture;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any, peer;
    const struct notifier_backend *backend = notifier_choose_for_streams(&error);
    assert_non_null(backend);
    assert_string_equal(backend->name, "psn");
    fixture.closed = 0;
    fixture.abandoned = emulation_abandoned();
    assert_int_equal(notifier_create(&fixture.notifier, backend, 1, &error), 0);
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    fixture.listening = tcp_listener_open(&any, false, &fixture.bound, &error);
    assert_true(fixture.listening != NO_HANDLE);
    fixture.client = tcp_client_connect(&fixture.bound);
    int64_t until = patience_until();
    while (tcp_connection_accept(fixture.listening, DESCRIPTOR_OF_SENDER, &fixture.server, &peer,
                                 &error) != ACCEPT_OK)
        assert_true(patience(until));
    return 0;
}

/* Destroys the notifier first, because closing a socket may change emulation_abandoned(). */
static int tear_down(void **state)
{
    (void)state;
    emulation_hold_removals(false);
    emulation_fail_removals(0);
    notifier_destroy(fixture.notifier);
    tcp_connection_close(fixture.client);
    tcp_connection_close(fixture.server);
    tcp_listener_close(fixture.listening);
    return 0;
}

/* Counts the call. Leaves the socket open, because the test uses it again. */
static void note_close(wait_handle socket)
{
    (void)socket;
    fixture.closed++;
}

static void unwatch(void)
{
    notifier_unwatch(fixture.notifier, fixture.server, note_close);
}

static void watch(void *token, unsigned interests)
{
    assert_int_equal(notifier_watch(fixture.notifier, fixture.server, token, interests, NULL), 0);
}

static void send_one(void)
{
    size_t sent;
    assert_int_equal(tcp_connection_send(fixture.client, "x", 1, &sent), TCP_OK);
}

static void tell(DWORD events)
{
    assert_true(emulation_notify((SOCKET)fixture.server, events));
}

static unsigned next_ready(const void *token)
{
    struct notifier_event event;
    assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, PATIENCE_MS), 1);
    assert_int_equal(event.type, NOTIFIER_READY);
    assert_ptr_equal(event.token, token);
    return event.ready;
}

static void assert_silent(void)
{
    struct notifier_event event;
    assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, SILENCE_MS), 0);
}

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

TEST_WITH(what_the_system_refuses_to_watch_is_reported_with_its_reason, set_up, tear_down)
{
    (void)state;
    send_one();
    for (size_t i = 0; i < FAILURES; i++) {
        struct error error = {.code = EXIT_CODE_OK};
        emulation_fail_next(failures[i].returned, failures[i].result);
        int returned =
            notifier_watch(fixture.notifier, fixture.server, &fixture.token, NOTIFIER_IN, &error);
        expect_failure(returned, &error, failures[i].number);
        assert_silent();
    }
    watch(&fixture.token, NOTIFIER_IN);
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
}

TEST_WITH(what_the_system_refuses_to_arm_is_reported_and_stays_silent, set_up, tear_down)
{
    (void)state;
    watch(&fixture.token, NOTIFIER_IN);
    send_one();
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
    for (size_t i = 0; i < FAILURES; i++) {
        struct error error = {.code = EXIT_CODE_OK};
        emulation_fail_next(failures[i].returned, failures[i].result);
        int returned =
            notifier_arm(fixture.notifier, fixture.server, &fixture.token, NOTIFIER_IN, &error);
        expect_failure(returned, &error, failures[i].number);
        tell(SOCKET_EVENT_IN);
        assert_silent();
    }
    assert_int_equal(
        notifier_arm(fixture.notifier, fixture.server, &fixture.token, NOTIFIER_IN, NULL), 0);
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
}

TEST_WITH(a_call_that_found_no_packet_in_time_has_succeeded, set_up, tear_down)
{
    (void)state;
    emulation_fail_next(WAIT_TIMEOUT, ERROR_SUCCESS);
    watch(&fixture.token, NOTIFIER_IN);
    send_one();
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
}

/* --- removal ---------------------------------------------------------------------------------- */

/* Returns how many slots for registrations the notifier has made so far. It uses slots again. */
static size_t places(void)
{
    return ((const struct stream_port *)fixture.notifier)->count;
}

/* Waits until `closed` sockets have been closed. Asserts that no event comes. */
static void wait_until_closed(size_t closed)
{
    struct notifier_event event;
    int64_t until = patience_until();
    while (fixture.closed < closed) {
        assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, 1), 0);
        assert_true(patience(until));
    }
    assert_int_equal(fixture.closed, closed);
}

static void assert_none_is_left(void)
{
    assert_int_equal(notifier_unremoved(fixture.notifier), 0);
    assert_int_equal(emulation_abandoned(), fixture.abandoned);
    assert_int_equal(places(), 1);
}

TEST_WITH(a_stream_is_closed_only_after_its_remove_packet_was_taken, set_up, tear_down)
{
    (void)state;
    emulation_hold_removals(true);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    send_one();
    assert_silent();
    assert_int_equal(fixture.closed, 0);
    emulation_hold_removals(false);
    wait_until_closed(1);
    assert_none_is_left();
}

/*
 * The test closes the socket before its REMOVE packet has come, which is a fault of a receiver. So
 * the packet never comes, and the registration is never freed.
 */
TEST_WITH(a_stream_that_is_closed_early_is_never_removed, set_up, tear_down)
{
    (void)state;
    emulation_hold_removals(true);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    tcp_connection_close(fixture.server);
    emulation_hold_removals(false);
    assert_silent();
    assert_int_equal(fixture.closed, 0);
    assert_int_equal(emulation_abandoned(), fixture.abandoned + 1);
    notifier_finish(fixture.notifier);
    assert_int_equal(fixture.closed, 1);
    assert_int_equal(notifier_unremoved(fixture.notifier), 1);
    fixture.server = tcp_client_connect(&fixture.bound);
}

TEST_WITH(a_removal_that_fails_is_tried_again, set_up, tear_down)
{
    (void)state;
    emulation_fail_removals(2);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    send_one();
    assert_silent();
    assert_int_equal(fixture.closed, 0);
    wait_until_closed(1);
    assert_none_is_left();
}

/* A removal is tried again after each kind of failure, also when the whole call failed. */
TEST_WITH(each_of_its_failures_is, set_up, tear_down)
{
    (void)state;
    for (size_t i = 0; i < FAILURES; i++) {
        watch(&fixture.token, NOTIFIER_IN);
        emulation_fail_next(failures[i].returned, failures[i].result);
        unwatch();
        wait_until_closed(i + 1);
    }
    assert_none_is_left();
}

TEST_WITH(a_removal_that_is_not_answered_is_not_asked_for_again, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    emulation_hold_removals(true);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    size_t calls = emulation_calls();
    assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, 300), 0);
    assert_int_equal(emulation_calls(), calls);
}

/*
 * One removal is never answered, and another one fails each time. A single wait of five seconds
 * gives up both.
 */
TEST_WITH(a_removal_that_never_succeeds_is_given_up_and_its_place_used_again, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    emulation_hold_removals(true);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    emulation_fail_removals(SIZE_MAX);
    assert_int_equal(
        notifier_watch(fixture.notifier, fixture.client, &fixture.other, NOTIFIER_IN, NULL), 0);
    notifier_unwatch(fixture.notifier, fixture.client, note_close);
    assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, PSN_REMOVE_MS - 500), 0);
    assert_int_equal(fixture.closed, 0);
    wait_until_closed(2);
    assert_int_equal(notifier_unremoved(fixture.notifier), 2);
    emulation_fail_removals(0);
    emulation_hold_removals(false);
    wait_handle next = tcp_client_connect(&fixture.bound);
    assert_int_equal(notifier_watch(fixture.notifier, next, &fixture.other, NOTIFIER_OUT, NULL), 0);
    assert_int_equal(next_ready(&fixture.other), NOTIFIER_OUT);
    assert_silent(); /* the late REMOVE packet of the old stream is ignored */
    assert_int_equal(places(), 2);
    notifier_unwatch(fixture.notifier, next, tcp_connection_close);
}

TEST_WITH(an_end_waits_for_removals_only_for_a_limited_time, set_up, tear_down)
{
    (void)state;
    emulation_hold_removals(true);
    watch(&fixture.token, NOTIFIER_IN);
    unwatch();
    notifier_finish(fixture.notifier);
    assert_int_equal(fixture.closed, 1);
    assert_int_equal(notifier_unremoved(fixture.notifier), 1);
}

TEST_WITH(a_thousand_streams_in_turn_use_one_place, set_up, tear_down)
{
    (void)state;
    for (size_t i = 1; i <= 1000; i++) {
        watch(&fixture.token, NOTIFIER_IN | NOTIFIER_HANGUP);
        unwatch();
        wait_until_closed(i);
    }
    assert_none_is_left();
}

/* --- arming and taking together --------------------------------------------------------------- */

static size_t arm_both(struct notifier_arming *armings, struct notifier_event *events,
                       size_t capacity)
{
    armings[0] = (struct notifier_arming){fixture.server, &fixture.token, NOTIFIER_OUT, true};
    armings[1] = (struct notifier_arming){fixture.client, &fixture.other, NOTIFIER_OUT, true};
    return notifier_arm_all(fixture.notifier, 0, armings, 2, events, capacity);
}

static void watch_both(void)
{
    watch(&fixture.token, NOTIFIER_IN);
    assert_int_equal(
        notifier_watch(fixture.notifier, fixture.client, &fixture.other, NOTIFIER_IN, NULL), 0);
}

TEST_WITH(several_are_armed_and_their_events_taken_by_one_call, set_up, tear_down)
{
    (void)state;
    struct notifier_arming armings[2];
    struct notifier_event events[4];
    assert_true(notifier_arms_together(fixture.notifier));
    watch_both();
    size_t calls = emulation_calls();
    assert_int_equal(arm_both(armings, events, 4), 2);
    assert_int_equal(emulation_calls(), calls + 1);
    assert_false(armings[0].failed || armings[1].failed);
    assert_true(events[0].token != events[1].token);
    assert_int_equal(events[0].ready, NOTIFIER_OUT);
    assert_int_equal(events[1].ready, NOTIFIER_OUT);
    assert_silent();
}

TEST_WITH(without_an_event_it_does_not_wait_and_they_are_armed, set_up, tear_down)
{
    (void)state;
    struct notifier_arming arming = {fixture.server, &fixture.token, NOTIFIER_IN, true};
    struct notifier_event event;
    watch(&fixture.token, NOTIFIER_HANGUP);
    assert_int_equal(notifier_arm_all(fixture.notifier, 0, &arming, 1, &event, 1), 0);
    assert_false(arming.failed);
    send_one();
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
}

TEST_WITH(events_for_which_there_is_no_room_are_kept, set_up, tear_down)
{
    (void)state;
    struct notifier_arming armings[2];
    struct notifier_event first, second;
    watch_both();
    assert_int_equal(arm_both(armings, &first, 1), 1);
    assert_int_equal(notifier_wait(fixture.notifier, 0, &second, 1, PATIENCE_MS), 1);
    assert_true(first.token != second.token);
}

TEST_WITH(a_failed_arming_of_several_is_marked_and_stays_silent, set_up, tear_down)
{
    (void)state;
    struct notifier_arming armings[2];
    struct notifier_event event;
    watch_both();
    for (size_t i = 0; i < FAILURES; i++) { /* the whole call fails, or each of its registrations */
        emulation_fail_next(failures[i].returned, failures[i].result);
        assert_int_equal(arm_both(armings, &event, 1), 0);
        assert_true(armings[0].failed && armings[1].failed);
        tell(SOCKET_EVENT_OUT);
        assert_silent();
    }
    unwatch(); /* one of the sockets is not watched any more */
    notifier_finish(fixture.notifier);
    assert_int_equal(arm_both(armings, &event, 1), 1);
    assert_true(armings[0].failed);
    assert_false(armings[1].failed);
    assert_ptr_equal(event.token, &fixture.other);
}

/* --- packets ---------------------------------------------------------------------------------- */

/* Packets of the old registration are still in the queue when its removal is requested. */
TEST_WITH(a_packet_of_an_old_registration_is_no_event_of_a_new_one, set_up, tear_down)
{
    (void)state;
    watch(&fixture.token, NOTIFIER_IN);
    tell(SOCKET_EVENT_IN);
    tell(SOCKET_EVENT_HANGUP);
    unwatch();
    wait_until_closed(1);
    watch(&fixture.other, NOTIFIER_IN | NOTIFIER_HANGUP);
    assert_silent();
    send_one();
    assert_int_equal(next_ready(&fixture.other), NOTIFIER_IN);
}

/*
 * Each round uses the memory of an earlier registration again. Some of these registrations were
 * given up.
 */
TEST_WITH(nor_is_one_that_comes_late, set_up, tear_down)
{
    (void)state;
    for (size_t i = 1; i <= 100; i++) {
        watch(&fixture.token, NOTIFIER_HANGUP);
        tell(SOCKET_EVENT_IN | SOCKET_EVENT_HANGUP);
        unwatch();
        wait_until_closed(i);
    }
    watch(&fixture.other, NOTIFIER_IN);
    assert_silent();
    send_one();
    assert_int_equal(next_ready(&fixture.other), NOTIFIER_IN);
}

TEST_WITH(an_error_is_everything_and_a_hang_up_can_be_read, set_up, tear_down)
{
    (void)state;
    watch(&fixture.token, NOTIFIER_OUT | NOTIFIER_IN);
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_OUT);
    assert_int_equal(
        notifier_arm(fixture.notifier, fixture.server, &fixture.token, NOTIFIER_HANGUP, NULL), 0);
    tell(SOCKET_EVENT_ERR);
    assert_int_equal(next_ready(&fixture.token), EVERYTHING);
    assert_int_equal(notifier_arm(fixture.notifier, fixture.server, &fixture.token,
                                  NOTIFIER_IN | NOTIFIER_HANGUP, NULL),
                     0);
    tell(SOCKET_EVENT_HANGUP);
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN | NOTIFIER_HANGUP);
}

TEST_WITH(a_packet_while_it_is_not_armed_is_no_event, set_up, tear_down)
{
    (void)state;
    watch(&fixture.token, NOTIFIER_IN);
    tell(SOCKET_EVENT_IN);
    tell(SOCKET_EVENT_IN);
    assert_int_equal(next_ready(&fixture.token), NOTIFIER_IN);
    assert_silent();
}
