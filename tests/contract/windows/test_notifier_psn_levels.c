/*
 * Tests the notifier for persistent levels that uses ProcessSocketNotifications with errors, and
 * with packets of other kinds. The contract tests cannot produce these.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define EVERYTHING  (NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP)
#define PAIRS       5

static struct {
    struct notifier *notifier;
    wait_handle listening;
    struct {
        wait_handle client, server;
    } pairs[PAIRS]; /* the address of each is its token */
} fixture;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any, bound, peer;
    assert_string_equal(notifier_level_backends[0]->name, "psn");
    assert_int_equal(notifier_create(&fixture.notifier, notifier_level_backends[0], 1, &error), 0);
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    fixture.listening = tcp_listener_open(&any, false, &bound, &error);
    assert_true(fixture.listening != NO_HANDLE);
    for (size_t i = 0; i < PAIRS; i++) {
        fixture.pairs[i].client = tcp_client_connect(&bound);
        int64_t until = patience_until();
        while (tcp_connection_accept(fixture.listening, DESCRIPTOR_OF_SENDER,
                                     &fixture.pairs[i].server, &peer, &error) != ACCEPT_OK)
            assert_true(patience(until));
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        tcp_connection_close(fixture.pairs[i].client);
        if (fixture.pairs[i].server != NO_HANDLE)
            tcp_connection_close(fixture.pairs[i].server);
    }
    tcp_listener_close(fixture.listening);
    notifier_destroy(fixture.notifier);
    return 0;
}

static int try_to_add(size_t pair, unsigned interests, struct error *error)
{
    return notifier_add_level(fixture.notifier, fixture.pairs[pair].server, &fixture.pairs[pair],
                              interests, error);
}

static void add(size_t pair, unsigned interests)
{
    assert_int_equal(try_to_add(pair, interests, NULL), 0);
}

static void change(size_t pair, unsigned interests)
{
    notifier_change_level(fixture.notifier, fixture.pairs[pair].server, &fixture.pairs[pair],
                          interests);
}

static void remove_pair(size_t pair)
{
    assert_int_equal(
        notifier_remove(fixture.notifier, fixture.pairs[pair].server, &fixture.pairs[pair], NULL),
        0);
}

static void send_one(size_t pair)
{
    size_t sent;
    assert_int_equal(tcp_connection_send(fixture.pairs[pair].client, "x", 1, &sent), TCP_OK);
}

static void tell(size_t pair, DWORD events)
{
    assert_true(emulation_notify((SOCKET)fixture.pairs[pair].server, events));
}

static struct notifier_event next_event(void)
{
    struct notifier_event event;
    int64_t until = patience_until();
    while (notifier_wait(fixture.notifier, 0, &event, 1, SILENCE_MS) == 0)
        assert_true(patience(until));
    return event;
}

static unsigned next_ready(size_t pair)
{
    struct notifier_event event = next_event();
    assert_int_equal(event.type, NOTIFIER_READY);
    assert_ptr_equal(event.token, &fixture.pairs[pair]);
    return event.ready;
}

static void assert_removed(size_t pair)
{
    struct notifier_event event = next_event();
    assert_int_equal(event.type, NOTIFIER_REMOVED);
    assert_ptr_equal(event.token, &fixture.pairs[pair]);
}

static void assert_silent(void)
{
    struct notifier_event event;
    assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, SILENCE_MS), 0);
}

/* The failures of a call: the call itself fails, or it succeeds and its registrations fail. */
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

TEST_WITH(what_the_system_refuses_to_add_is_reported_with_its_reason, set_up, tear_down)
{
    (void)state;
    send_one(0);
    for (size_t i = 0; i < FAILURES; i++) {
        struct error error = {.code = EXIT_CODE_OK};
        emulation_fail_next(failures[i].returned, failures[i].result);
        assert_int_equal(try_to_add(0, NOTIFIER_IN, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_INTERNAL);
        assert_non_null(strstr(error.text, failures[i].number));
        assert_silent();
    }
    add(0, NOTIFIER_IN);
    assert_int_equal(next_ready(0), NOTIFIER_IN);
}

/* The sockets of a provider other than Microsoft fail in this way. */
TEST_WITH(a_socket_that_cannot_be_registered_is_polled, set_up, tear_down)
{
    (void)state;
    for (size_t i = 0; i < FAILURES; i++) {
        struct notifier *notifier;
        struct notifier_event event;
        struct error error;
        emulation_fail_next(failures[i].returned, failures[i].result);
        assert_int_equal(notifier_create_for_levels(&notifier, fixture.pairs[i].server,
                                                    &fixture.pairs[i], NOTIFIER_IN, &error),
                         0);
        assert_string_equal(notifier->backend->name, "wsapoll");
        send_one(i);
        assert_int_equal(notifier_wait(notifier, 0, &event, 1, PATIENCE_MS), 1);
        assert_ptr_equal(event.token, &fixture.pairs[i]);
        notifier_destroy(notifier);
    }
}

/* The registration is removed. REMOVED is reported although notifier_remove was not called. */
TEST_WITH(what_the_system_refuses_to_change_ends, set_up, tear_down)
{
    (void)state;
    for (size_t i = 0; i < FAILURES; i++) {
        add(i, NOTIFIER_IN);
        assert_silent();
        change(i, NOTIFIER_OUT);
        emulation_fail_next(failures[i].returned, failures[i].result);
        assert_removed(i);
        change(i, NOTIFIER_OUT);
        assert_silent();
        assert_false(emulation_notify((SOCKET)fixture.pairs[i].server, SOCKET_EVENT_IN));
    }
}

TEST_WITH(what_the_system_refuses_to_remove_is_removed_later, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    for (size_t i = 0; i < FAILURES; i++) {
        add(i, NOTIFIER_IN);
        send_one(i);
        assert_int_equal(next_ready(i), NOTIFIER_IN);
        remove_pair(i);
        emulation_fail_next(failures[i].returned, failures[i].result);
        assert_int_equal(notifier_wait(fixture.notifier, 0, &event, 1, 0), 0);
        assert_removed(i);
        assert_false(emulation_notify((SOCKET)fixture.pairs[i].server, SOCKET_EVENT_IN));
    }
}

/*
 * The socket is closed before its removal, so it has lost its registration and gets no REMOVE
 * packet. In this test no new socket has its number.
 */
static void expect_removed_in_time(void)
{
    struct notifier_event event;
    add(0, NOTIFIER_IN);
    tcp_connection_close(fixture.pairs[0].server);
    remove_pair(0);
    fixture.pairs[0].server = NO_HANDLE;
    int64_t until = patience_until();
    /* The wait ends although it has no time limit. */
    while (notifier_wait(fixture.notifier, 0, &event, 1, -1) == 0)
        assert_true(patience(until));
    assert_int_equal(event.type, NOTIFIER_REMOVED);
    assert_ptr_equal(event.token, &fixture.pairs[0]);
    assert_silent();
}

TEST_WITH(a_removal_that_is_never_confirmed_ends_in_time, set_up, tear_down)
{
    (void)state;
    expect_removed_in_time();
}

TEST_WITH(a_removal_that_is_never_confirmed_ends_in_time_while_a_thread_waits, set_up, tear_down)
{
    (void)state;
    struct error error;
    assert_true(notifier_handle(fixture.notifier, &error) != NO_HANDLE);
    add(1, NOTIFIER_IN);
    assert_silent(); /* the thread waits without a time limit */
    expect_removed_in_time();
    send_one(1);
    assert_int_equal(next_ready(1), NOTIFIER_IN);
}

TEST_WITH(changes_of_several_sockets_are_one_call, set_up, tear_down)
{
    (void)state;
    for (size_t i = 0; i < PAIRS; i++)
        add(i, NOTIFIER_IN);
    assert_silent();
    size_t before = emulation_calls();
    for (size_t i = 0; i < PAIRS - 1; i++)
        change(i, NOTIFIER_OUT);
    remove_pair(PAIRS - 1);
    struct notifier_event events[2 * PAIRS];
    size_t ready = 0, removed = 0;
    int64_t until = patience_until();
    while (ready < PAIRS - 1 || removed == 0) {
        size_t count = notifier_wait(fixture.notifier, 0, events, 2 * PAIRS, SILENCE_MS);
        for (size_t i = 0; i < count; i++) {
            ready += events[i].type == NOTIFIER_READY && events[i].ready == NOTIFIER_OUT;
            removed += events[i].type == NOTIFIER_REMOVED;
        }
        assert_true(patience(until));
    }
    /* One call registers the sockets and returns packets. */
    assert_int_equal(emulation_calls() - before, 1);
}

TEST_WITH(an_error_is_everything_and_a_hang_up_can_be_read, set_up, tear_down)
{
    (void)state;
    add(0, NOTIFIER_IN | NOTIFIER_HANGUP);
    tell(0, SOCKET_EVENT_ERR);
    assert_int_equal(next_ready(0), EVERYTHING);
    tell(0, SOCKET_EVENT_HANGUP);
    assert_int_equal(next_ready(0), NOTIFIER_IN | NOTIFIER_HANGUP);
}

TEST_WITH(a_packet_from_before_a_change_is_cut_to_the_new_interests, set_up, tear_down)
{
    (void)state;
    add(0, NOTIFIER_IN);
    tell(0, SOCKET_EVENT_IN | SOCKET_EVENT_HANGUP);
    change(0, NOTIFIER_HANGUP);
    assert_int_equal(next_ready(0), NOTIFIER_HANGUP);
    tell(0, SOCKET_EVENT_IN);
    assert_silent();
}

TEST_WITH(two_packets_of_one_wait_are_one_event, set_up, tear_down)
{
    (void)state;
    struct notifier_event events[4];
    add(0, NOTIFIER_IN | NOTIFIER_HANGUP);
    tell(0, SOCKET_EVENT_IN);
    tell(0, SOCKET_EVENT_HANGUP);
    assert_int_equal(notifier_wait(fixture.notifier, 0, events, 4, PATIENCE_MS), 1);
    assert_int_equal(events[0].ready, NOTIFIER_IN | NOTIFIER_HANGUP);
}
