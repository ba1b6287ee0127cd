/*
 * Tests that the emulation of ProcessSocketNotifications follows the strictest reading of the
 * documentation. The tests of the notifier depend on that.
 */

#include "collector/platform/udp.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/udp_sender.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define KEY         ((void *)0x1234)

static struct fixture {
    HANDLE port;
    struct udp_sender *sender;
    struct udp_socket *socket;
    LPFN_WSARECVMSG receive;
} fixture;

static SOCKET handle(void)
{
    return (SOCKET)udp_socket_handle(fixture.socket);
}

static void open_socket(void)
{
    struct error error;
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = (size_t)1024 * 1024,
        .max_datagram = 100,
    };
    if (udp_socket_open(&fixture.socket, &options, &error) != 0)
        fail_msg("%s", error.text);
    fixture.receive = socket_lookup_receive(handle());
    assert_non_null(fixture.receive);
}

static void bind_socket(void)
{
    struct error error;
    if (udp_socket_bind(fixture.socket, &error) != 0)
        fail_msg("%s", error.text);
}

static int set_up(void **state)
{
    (void)state;
    fixture.port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    assert_non_null(fixture.port);
    fixture.sender = udp_sender_open(ADDRESS_IPV4);
    open_socket();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    udp_socket_close(fixture.socket);
    udp_sender_close(fixture.sender);
    CloseHandle(fixture.port);
    return 0;
}

static DWORD notify(HANDLE port, SOCKET socket, uint8_t operation, uint16_t filter, uint8_t trigger)
{
    struct socket_registration row = {
        .socket = socket,
        .key = KEY,
        .filter = filter,
        .operation = operation,
        .trigger = trigger,
    };
    DWORD returned = socket_lookup_notifications()(port, 1, &row, 0, 0, NULL, NULL);
    return returned != ERROR_SUCCESS ? returned : row.result;
}

static DWORD enable(void)
{
    return notify(fixture.port, handle(), SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN,
                  SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT);
}

static DWORD remove_socket(void)
{
    return notify(fixture.port, handle(), SOCKET_OPERATION_REMOVE, 0, 0);
}

static DWORD next_packet(DWORD timeout_ms)
{
    OVERLAPPED_ENTRY packet;
    ULONG found = 0;
    if (!GetQueuedCompletionStatusEx(fixture.port, &packet, 1, &found, timeout_ms, FALSE))
        return 0;
    assert_int_equal(found, 1);
    assert_int_equal(packet.lpCompletionKey, (ULONG_PTR)KEY);
    assert_null(packet.lpOverlapped);
    return packet.dwNumberOfBytesTransferred;
}

static void send_one(void)
{
    struct address to = udp_socket_address(fixture.socket);
    udp_sender_send(fixture.sender, &to, "x", 1);
}

static int receive_one(void)
{
    char byte[100];
    SOCKADDR_STORAGE source;
    WSABUF buffer = {.buf = byte, .len = sizeof byte};
    WSAMSG message = {
        .name = (struct sockaddr *)&source,
        .namelen = sizeof source,
        .lpBuffers = &buffer,
        .dwBufferCount = 1,
    };
    DWORD size;
    return fixture.receive(handle(), &message, &size, NULL, NULL) == 0 ? 0 : WSAGetLastError();
}

TEST_WITH(what_arrives_after_registering_is_an_edge, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
}

TEST_WITH(what_is_queued_before_registering_is_none_until_it_is_drained, set_up, tear_down)
{
    (void)state;
    bind_socket();
    send_one();
    assert_int_equal(enable(), 0);
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    while (receive_one() == 0)
        ;
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
}

TEST_WITH(after_an_edge_there_is_silence_until_would_block, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
    assert_int_equal(receive_one(), 0); /* the socket is empty now, but has not reported that */
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_int_equal(receive_one(), 0);
    assert_int_equal(receive_one(), WSAEWOULDBLOCK);
    assert_int_equal(next_packet(SILENCE_MS), 0);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
}

TEST_WITH(remove_is_the_last_packet, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    assert_true(emulation_notify(handle(), SOCKET_EVENT_IN));
    assert_int_equal(remove_socket(), 0);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_false(emulation_notify(handle(), SOCKET_EVENT_IN));
}

TEST_WITH(closing_reports_nothing_and_takes_no_packet_back, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    assert_true(emulation_notify(handle(), SOCKET_EVENT_IN));
    udp_socket_close(fixture.socket);
    fixture.socket = NULL;
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
    assert_int_equal(next_packet(SILENCE_MS), 0);
}

/* The system soon gives the number of a closed socket to a new one. */
TEST_WITH(a_socket_with_the_number_of_a_closed_one_is_another_one, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    SOCKET number = handle();
    udp_socket_close(fixture.socket);
    struct udp_socket *others[100];
    size_t count = 0;
    for (open_socket(); handle() != number; open_socket()) {
        assert_in_range(count, 0, 99);
        others[count++] = fixture.socket;
    }
    while (count > 0)
        udp_socket_close(others[--count]);
    bind_socket();
    send_one();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    assert_int_equal(remove_socket(), ERROR_NOT_FOUND);
}

TEST_WITH(what_is_not_emulated_is_refused, set_up, tear_down)
{
    (void)state;
    static const uint8_t both = SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT;
    const struct {
        uint8_t operation;
        uint16_t filter;
        uint8_t trigger;
    } refused[] = {
        {SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, SOCKET_TRIGGER_EDGE},
        {SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, SOCKET_TRIGGER_PERSISTENT},
        {SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, SOCKET_TRIGGER_LEVEL},
        {SOCKET_OPERATION_ENABLE, SOCKET_EVENT_OUT, both},
        {SOCKET_OPERATION_DISABLE, SOCKET_EVENT_IN, both},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_int_not_equal(notify(fixture.port, handle(), refused[i].operation, refused[i].filter,
                                    refused[i].trigger),
                             0);
    assert_int_not_equal(remove_socket(), 0);
    assert_int_not_equal(
        notify(fixture.port, (SOCKET)fixture.port, SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, both),
        0);
    assert_int_equal(notify(NULL, handle(), SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, both),
                     ERROR_INVALID_HANDLE);
}

TEST_WITH(a_socket_belongs_to_one_port_once, set_up, tear_down)
{
    (void)state;
    HANDLE other = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    assert_int_equal(enable(), 0);
    assert_int_not_equal(enable(), 0);
    assert_int_not_equal(notify(other, handle(), SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN,
                                SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT),
                         0);
    assert_int_equal(remove_socket(), 0);
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_REMOVE);
    assert_int_equal(enable(), 0);
    CloseHandle(other);
}

TEST_WITH(a_receive_on_a_blocking_socket_fails_in_the_end, set_up, tear_down)
{
    (void)state;
    u_long blocking = 0;
    assert_int_equal(enable(), 0);
    bind_socket();
    assert_int_equal(ioctlsocket(handle(), FIONBIO, &blocking), 0);
    assert_int_equal(receive_one(), WSAEINPROGRESS);
}

/* --- polling only when there is a reason ------------------------------------------------------ */

TEST_WITH(it_does_not_poll_in_a_loop, set_up, tear_down)
{
    (void)state;
    assert_int_equal(enable(), 0);
    bind_socket();
    assert_int_equal(next_packet(SILENCE_MS), 0);
    size_t looks = emulation_looks();
    assert_int_equal(next_packet(200), 0);
    assert_int_equal(emulation_looks(), looks);
    send_one();
    assert_int_equal(next_packet(PATIENCE_MS), SOCKET_EVENT_IN);
    assert_int_equal(next_packet(200), 0);
    assert_in_range(emulation_looks(), looks, looks + 2);
}
