/*
 * Tests that the emulation of ProcessSocketNotifications is as strict as the documentation for
 * persistent levels, and for calls with several registrations or that also return packets.
 */
#include <string.h>

#include "collector/platform/tcp.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define KEY         ((void *)0x1234)
#define OTHER_KEY   ((void *)0x5678)
#define LEVEL       (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_PERSISTENT)
#define INPUT       SOCKET_EVENT_IN
#define OUTPUT      SOCKET_EVENT_OUT
#define HANG_UP     SOCKET_EVENT_HANGUP
#define ENABLE      SOCKET_OPERATION_ENABLE

static struct {
    HANDLE port;
    wait_handle listening, client, server;
} fixture;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any, bound, peer;
    fixture.port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    assert_non_null(fixture.port);
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    fixture.listening = tcp_listener_open(&any, false, &bound, &error);
    assert_true(fixture.listening != NO_HANDLE);
    fixture.client = tcp_client_connect(&bound);
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

static struct socket_registration row(wait_handle socket, void *key, uint8_t operation,
                                      uint16_t filter)
{
    return (struct socket_registration){.socket = (SOCKET)socket,
                                        .key = key,
                                        .filter = filter,
                                        .operation = operation,
                                        .trigger = LEVEL};
}

static DWORD call(uint32_t count, struct socket_registration *rows)
{
    return socket_lookup_notifications()(fixture.port, count, rows, 0, 0, NULL, NULL);
}

static DWORD notify(uint8_t operation, uint16_t filter, uint8_t trigger)
{
    struct socket_registration one = row(fixture.server, KEY, operation, filter);
    one.trigger = trigger;
    DWORD returned = call(1, &one);
    return returned != ERROR_SUCCESS ? returned : one.result;
}

static void enable(uint16_t filter)
{
    assert_int_equal(notify(ENABLE, filter, LEVEL), 0);
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
    int64_t until = patience_until();
    while (tcp_connection_receive(fixture.server, &byte, 1, &size) != TCP_OK)
        assert_true(patience(until));
}

/* One packet may still be in the queue when its condition ends. */
static void assert_silent(void)
{
    next_packet(SILENCE_MS);
    assert_int_equal(next_packet(SILENCE_MS), 0);
}

TEST_WITH(a_condition_is_reported_while_it_holds, set_up, tear_down)
{
    (void)state;
    send_one();
    send_one();
    enable(INPUT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    receive_one();
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    receive_one();
    assert_silent();
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(one_packet_is_queued_at_a_time, set_up, tear_down)
{
    (void)state;
    OVERLAPPED_ENTRY packets[8];
    ULONG found = 0;
    enable(INPUT);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    Sleep(SILENCE_MS);
    assert_true(GetQueuedCompletionStatusEx(fixture.port, packets, 8, &found, PATIENCE_MS, FALSE));
    assert_int_equal(found, 1);
}

TEST_WITH(a_hang_up_is_reported_while_it_holds_and_is_no_input, set_up, tear_down)
{
    (void)state;
    enable(INPUT | HANG_UP);
    tcp_connection_finish(fixture.client);
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_packet(PATIENCE_MS), HANG_UP);
}

TEST_WITH(enabling_again_replaces_the_filter, set_up, tear_down)
{
    (void)state;
    send_one();
    enable(HANG_UP);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    enable(OUTPUT);
    assert_int_equal(next_packet(PATIENCE_MS), OUTPUT);
    enable(INPUT | OUTPUT);
    DWORD events = 0;
    for (int i = 0; i < 3 && events != (INPUT | OUTPUT); i++)
        events = next_packet(PATIENCE_MS);
    assert_int_equal(events, INPUT | OUTPUT);
}

TEST_WITH(disabled_it_is_silent_until_it_is_enabled, set_up, tear_down)
{
    (void)state;
    send_one();
    enable(INPUT);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    assert_int_equal(notify(SOCKET_OPERATION_DISABLE, 0, LEVEL), 0);
    assert_silent();
    enable(INPUT);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(remove_is_the_last_packet_of_a_persistent_level, set_up, tear_down)
{
    (void)state;
    send_one();
    enable(INPUT);
    assert_int_equal(notify(SOCKET_OPERATION_REMOVE, 0, 0), 0);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_int_not_equal(notify(SOCKET_OPERATION_DISABLE, 0, LEVEL), 0);
}

TEST_WITH(exactly_one_of_each_pair_of_triggers_is_required, set_up, tear_down)
{
    (void)state;
    for (uint8_t trigger = 0; trigger < 16; trigger++) {
        bool valid = trigger == LEVEL ||
                     trigger == (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT) ||
                     trigger == (SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT);
        if (!valid)
            assert_int_not_equal(notify(ENABLE, INPUT, trigger), 0);
    }
    enable(INPUT);
    assert_int_not_equal(notify(ENABLE, INPUT, SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT), 0);
    assert_int_not_equal(notify(ENABLE | SOCKET_OPERATION_REMOVE, INPUT, LEVEL), 0);
}

TEST_WITH(a_call_has_a_result_for_each_of_its_registrations, set_up, tear_down)
{
    (void)state;
    send_one();
    struct socket_registration rows[] = {row(fixture.listening, OTHER_KEY, ENABLE, INPUT),
                                         row(fixture.server, KEY, ENABLE, 0),
                                         row(fixture.server, KEY, ENABLE, INPUT)};
    assert_int_equal(call(3, rows), ERROR_SUCCESS);
    assert_int_equal(rows[0].result, 0);
    assert_int_not_equal(rows[1].result, 0);
    assert_int_equal(rows[2].result, 0);
    assert_int_equal(next_packet(PATIENCE_MS), INPUT);
}

TEST_WITH(a_call_registers_and_retrieves, set_up, tear_down)
{
    (void)state;
    OVERLAPPED_ENTRY packets[4];
    uint32_t found = 0;
    struct socket_registration one = row(fixture.server, KEY, ENABLE, INPUT);
    process_socket_notifications *function = socket_lookup_notifications();
    send_one();
    assert_int_equal(function(fixture.port, 1, &one, PATIENCE_MS, 4, packets, &found), 0);
    assert_int_equal(one.result, 0);
    assert_int_equal(found, 1);
    assert_int_equal(packets[0].dwNumberOfBytesTransferred, INPUT);
    receive_one();
    assert_silent();
    one.operation = SOCKET_OPERATION_REMOVE;
    assert_int_equal(function(fixture.port, 1, &one, PATIENCE_MS, 4, packets, &found), 0);
    assert_int_equal(packets[0].dwNumberOfBytesTransferred, SOCKET_EVENT_REMOVE);
    assert_int_equal(function(fixture.port, 0, NULL, SILENCE_MS, 4, packets, &found), WAIT_TIMEOUT);
    assert_int_not_equal(function(fixture.port, 0, NULL, 0, 0, NULL, NULL), 0);
    assert_int_not_equal(function(fixture.port, 0, NULL, 0, 4, packets, NULL), 0);
}
