/*
 * Tests that the emulation of ProcessSocketNotifications is as strict as the documentation for
 * one-shot levels.
 */
#include <string.h>

#include "collector/platform/tcp.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define KEY         ((void *)0x1234)
#define LEVEL       (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT)
#define INPUT       SOCKET_EVENT_IN
#define OUTPUT      SOCKET_EVENT_OUT
#define HANG_UP     SOCKET_EVENT_HANGUP

static struct {
    HANDLE port;
    wait_handle listening, client, server;
    struct address bound;
} fixture;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any, peer;
    fixture.port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    assert_non_null(fixture.port);
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

static int tear_down(void **state)
{
    (void)state;
    tcp_connection_close(fixture.client);
    tcp_connection_close(fixture.server);
    tcp_listener_close(fixture.listening);
    CloseHandle(fixture.port);
    return 0;
}

static DWORD notify(void *key, uint8_t operation, uint16_t filter, uint8_t trigger)
{
    struct socket_registration row = {
        .socket = (SOCKET)fixture.server,
        .key = key,
        .filter = filter,
        .operation = operation,
        .trigger = trigger,
    };
    DWORD returned = socket_lookup_notifications()(fixture.port, 1, &row, 0, 0, NULL, NULL);
    return returned != ERROR_SUCCESS ? returned : row.result;
}

static void enable(uint16_t filter)
{
    assert_int_equal(notify(KEY, SOCKET_OPERATION_ENABLE, filter, LEVEL), 0);
}

static DWORD next_packet(DWORD timeout_ms)
{
    OVERLAPPED_ENTRY packet;
    ULONG found = 0;
    if (!GetQueuedCompletionStatusEx(fixture.port, &packet, 1, &found, timeout_ms, FALSE))
        return 0;
    assert_int_equal(packet.lpCompletionKey, (ULONG_PTR)KEY);
    return packet.dwNumberOfBytesTransferred;
}

static void send_one(void)
{
    size_t sent;
    assert_int_equal(tcp_connection_send(fixture.client, "x", 1, &sent), TCP_OK);
}

static void receive_one(void)
{
    char byte;
    size_t size;
    assert_int_equal(tcp_connection_receive(fixture.server, &byte, 1, &size), TCP_OK);
}

TEST_WITH(what_held_before_is_reported, set_up, tear_down)
{
    (void)state;
    send_one();
    enable(INPUT | HANG_UP);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(after_a_packet_there_is_silence_until_it_is_enabled, set_up, tear_down)
{
    (void)state;
    enable(INPUT);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    receive_one();
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    enable(INPUT);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(only_what_the_filter_has_is_reported, set_up, tear_down)
{
    (void)state;
    send_one();
    enable(HANG_UP);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    enable(OUTPUT);
    assert_int_equal(next_packet(PATIENCE_MS), OUTPUT);
    enable(INPUT | OUTPUT);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT | OUTPUT);
}

TEST_WITH(a_hang_up_is_reported_once_for_each_enabling_and_is_no_input, set_up, tear_down)
{
    (void)state;
    enable(INPUT | HANG_UP);
    tcp_connection_finish(fixture.client);
    assert_int_equal(next_packet(PATIENCE_MS), HANG_UP);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    enable(HANG_UP);
    assert_int_equal(next_packet(PATIENCE_MS), HANG_UP);
    assert_int_equal(next_packet(SILENCE_MS), 0);
}

TEST_WITH(remove_is_the_last_packet_of_a_level, set_up, tear_down)
{
    (void)state;
    enable(INPUT);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    assert_int_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), 0);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
    assert_int_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), ERROR_NOT_FOUND);
    assert_int_equal(next_packet(SILENCE_MS), 0);
}

TEST_WITH(what_is_no_level_that_is_reported_once_is_refused, set_up, tear_down)
{
    (void)state;
    enum { ENABLE = SOCKET_OPERATION_ENABLE, REMOVE = SOCKET_OPERATION_REMOVE };
    assert_int_not_equal(notify(KEY, ENABLE, 0, LEVEL), 0);
    assert_int_not_equal(notify(KEY, ENABLE, SOCKET_EVENT_REMOVE, LEVEL), 0);
    assert_int_not_equal(notify(KEY, ENABLE, INPUT, SOCKET_TRIGGER_LEVEL), 0);
    assert_int_not_equal(notify(KEY, ENABLE, INPUT, SOCKET_TRIGGER_ONESHOT), 0);
    enable(INPUT);
    /* A registration keeps its key, so another key is refused. */
    assert_int_not_equal(notify((void *)0x5678, ENABLE, INPUT, LEVEL), 0);
    assert_int_not_equal(notify(KEY, REMOVE | ENABLE, INPUT, LEVEL), 0);
    assert_int_not_equal(
        notify(KEY, ENABLE, INPUT, SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT), 0);
}

/* --- removal ---------------------------------------------------------------------------------- */

TEST_WITH(a_removal_is_answered_later_and_only_then_registered_again, set_up, tear_down)
{
    (void)state;
    emulation_hold_removals(true);
    enable(INPUT);
    assert_int_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), 0);
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_int_not_equal(notify(KEY, SOCKET_OPERATION_ENABLE, INPUT, LEVEL), 0);
    emulation_hold_removals(false);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
    enable(INPUT);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(a_socket_that_is_closed_before_its_remove_packet_never_has_one, set_up, tear_down)
{
    (void)state;
    size_t abandoned = emulation_abandoned();
    emulation_hold_removals(true);
    enable(INPUT);
    assert_int_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), 0);
    tcp_connection_close(fixture.server);
    emulation_hold_removals(false);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_int_equal(emulation_abandoned(), abandoned + 1);
    fixture.server = tcp_client_connect(&fixture.bound);
}

TEST_WITH(a_removal_that_fails_leaves_the_registration_as_it_is, set_up, tear_down)
{
    (void)state;
    enable(INPUT);
    emulation_fail_removals(1);
    assert_int_not_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), 0);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    assert_int_equal(notify(KEY, SOCKET_OPERATION_REMOVE, 0, 0), 0);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
}

TEST_WITH(a_socket_of_another_provider_cannot_be_registered, set_up, tear_down)
{
    (void)state;
    emulation_refuse(EMULATION_REFUSES_STREAMS);
    assert_int_not_equal(notify(KEY, SOCKET_OPERATION_ENABLE, INPUT, LEVEL), 0);
    emulation_refuse(EMULATION_REFUSES_DATAGRAMS);
    enable(INPUT);
    emulation_refuse(0);
}
