/*
 * Shows that Microsoft's samples in "Winsock socket state notifications" have faults which the
 * notifiers do not have. A test program that does what a sample does must fail. Also sends packets
 * of other operations to the ports of the notifiers, because that page says that such packets may
 * come.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/windows/port_key.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/stream_port.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/plain_socket.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define SILENCE_MS  50
#define LEVEL       (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT)
#define SENT        2000

/* Both ends of two connections, and a completion port for the code that is like the samples. */
static struct {
    HANDLE port;
    wait_handle listening;
    struct address bound;
    wait_handle client[2], server[2];
    char token[2];
} fixture;

static wait_handle accept_one(void)
{
    struct address peer;
    struct error error;
    wait_handle accepted;
    int64_t until = patience_until();
    while (tcp_connection_accept(fixture.listening, DESCRIPTOR_OF_SENDER, &accepted, &peer,
                                 &error) != ACCEPT_OK)
        assert_true(patience(until));
    return accepted;
}

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any;
    fixture.port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    assert_non_null(fixture.port);
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    fixture.listening = tcp_listener_open(&any, false, &fixture.bound, &error);
    assert_true(fixture.listening != NO_HANDLE);
    for (int i = 0; i < 2; i++) {
        fixture.client[i] = tcp_client_connect(&fixture.bound);
        fixture.server[i] = accept_one();
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tcp_connection_close(fixture.client[i]);
        if (fixture.server[i] != NO_HANDLE)
            tcp_connection_close(fixture.server[i]);
    }
    tcp_listener_close(fixture.listening);
    CloseHandle(fixture.port);
    return 0;
}

static void send_bytes(int to, size_t size)
{
    static const char bytes[SENT];
    size_t sent;
    assert_int_equal(tcp_connection_send(fixture.client[to], bytes, size, &sent), TCP_OK);
    assert_int_equal(sent, size);
}

/* --- calls of the function, as in the samples ------------------------------------------------- */

static DWORD call(int which, uint8_t operation, uint16_t filter, uint8_t trigger,
                  OVERLAPPED_ENTRY *packet, uint32_t *found)
{
    struct socket_registration row = {
        .socket = (SOCKET)fixture.server[which],
        .key = &fixture.token[which],
        .filter = filter,
        .operation = operation,
        .trigger = trigger,
    };
    DWORD returned =
        socket_lookup_notifications()(fixture.port, 1, &row, packet == NULL ? 0 : PATIENCE_MS,
                                      packet == NULL ? 0 : 1, packet, found);
    return returned != ERROR_SUCCESS ? returned : row.result;
}

static DWORD request(int which, uint8_t operation, uint16_t filter, uint8_t trigger)
{
    return call(which, operation, filter, trigger, NULL, NULL);
}

static void enable(int which)
{
    assert_int_equal(
        request(which, SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN | SOCKET_EVENT_HANGUP, LEVEL), 0);
}

static OVERLAPPED_ENTRY next_packet(DWORD timeout_ms)
{
    OVERLAPPED_ENTRY packet = {0};
    ULONG found;
    GetQueuedCompletionStatusEx(fixture.port, &packet, 1, &found, timeout_ms, FALSE);
    return packet;
}

/* --- calls of the notifier -------------------------------------------------------------------- */

static struct notifier *make_notifier(void)
{
    struct notifier *notifier;
    struct error error;
    const struct notifier_backend *backend = notifier_choose_for_streams(&error);
    assert_string_equal(backend->name, "psn");
    assert_int_equal(notifier_create(&notifier, backend, 1, &error), 0);
    return notifier;
}

static void watch(struct notifier *notifier, int which)
{
    assert_int_equal(notifier_watch(notifier, fixture.server[which], &fixture.token[which],
                                    NOTIFIER_IN | NOTIFIER_HANGUP, NULL),
                     0);
}

static struct notifier_event next_event(struct notifier *notifier)
{
    struct notifier_event event;
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, PATIENCE_MS), 1);
    return event;
}

static void leave_open(wait_handle socket)
{
    (void)socket;
}

/* --- data after a hang-up --------------------------------------------------------------------- */

static void send_and_hang_up(void)
{
    send_bytes(0, SENT);
    tcp_connection_finish(fixture.client[0]);
    Sleep(SILENCE_MS); /* until the hang-up has arrived as well */
}

TEST_WITH(data_after_a_hang_up_is_lost_after_one_read_of_512_bytes, set_up, tear_down)
{
    (void)state;
    char bytes[512];
    size_t size, received = 0;
    send_and_hang_up();
    enable(0);
    assert_true(emulation_notify((SOCKET)fixture.server[0], SOCKET_EVENT_HANGUP));
    DWORD events = 0;
    while ((events & SOCKET_EVENT_HANGUP) == 0) {
        events = next_packet(PATIENCE_MS).dwNumberOfBytesTransferred;
        if ((events & SOCKET_EVENT_IN) == 0)
            continue;
        assert_int_equal(tcp_connection_receive(fixture.server[0], bytes, sizeof bytes, &size),
                         TCP_OK);
        received += size;
    }
    /* This is only a part of SENT, but the sample closes the connection now. */
    assert_int_equal(received, 512);
}

TEST_WITH(the_notifiers_contract_is_to_read_to_the_end, set_up, tear_down)
{
    (void)state;
    char bytes[512];
    size_t size, received = 0;
    enum tcp_result result = TCP_OK;
    struct notifier *notifier = make_notifier();
    send_and_hang_up();
    watch(notifier, 0);
    assert_true(emulation_notify((SOCKET)fixture.server[0], SOCKET_EVENT_HANGUP));
    while (result != TCP_END) {
        assert_true((next_event(notifier).ready & NOTIFIER_IN) != 0);
        result = tcp_connection_receive(fixture.server[0], bytes, sizeof bytes, &size);
        received += size;
        assert_int_equal(notifier_arm(notifier, fixture.server[0], &fixture.token[0],
                                      NOTIFIER_IN | NOTIFIER_HANGUP, NULL),
                         0);
    }
    assert_int_equal(received, SENT);
    notifier_destroy(notifier);
}

/* --- the form of requests --------------------------------------------------------------------- */

TEST_WITH(remove_combined_with_enable_in_one_operation_is_refused, set_up, tear_down)
{
    (void)state;
    size_t malformed = emulation_malformed();
    enable(0);
    assert_int_not_equal(
        request(0, SOCKET_OPERATION_REMOVE | SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, LEVEL), 0);
    /* The registration still exists, so no REMOVE packet comes. */
    assert_int_equal(next_packet(SILENCE_MS).dwNumberOfBytesTransferred, 0);
    assert_int_equal(emulation_malformed(), malformed + 1);
}

TEST_WITH(trigger_flags_without_persistent_or_oneshot_are_refused, set_up, tear_down)
{
    (void)state;
    static const uint8_t triggers[] = {
        SOCKET_TRIGGER_LEVEL,
        SOCKET_TRIGGER_EDGE,
        SOCKET_TRIGGER_ONESHOT,
        SOCKET_TRIGGER_PERSISTENT,
        0,
        SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT,
        SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT | SOCKET_TRIGGER_PERSISTENT,
    };
    size_t malformed = emulation_malformed();
    size_t count = sizeof triggers / sizeof triggers[0];
    for (size_t i = 0; i < count; i++)
        assert_int_not_equal(request(0, SOCKET_OPERATION_ENABLE, SOCKET_EVENT_IN, triggers[i]), 0);
    assert_int_equal(emulation_malformed(), malformed + count);
}

static void use_datagrams(void)
{
    struct notifier *notifier;
    struct error error;
    struct notifier_event event = {.type = NOTIFIER_READY};
    struct plain_socket *socket = plain_socket_open(true);
    assert_int_equal(notifier_create(&notifier, notifier_backends[0], 1, &error), 0);
    wait_handle handle = plain_socket_handle(socket);
    assert_int_equal(notifier_add(notifier, handle, &event, &error), 0);
    plain_socket_bind(socket);
    assert_int_equal(notifier_remove(notifier, handle, &event, &error), 0);
    while (event.type != NOTIFIER_REMOVED)
        assert_in_range(notifier_wait(notifier, 0, &event, 1, PATIENCE_MS), 0, 1);
    notifier_destroy(notifier);
    plain_socket_close(socket);
}

TEST_WITH(the_notifiers_make_well_formed_requests, set_up, tear_down)
{
    (void)state;
    size_t malformed = emulation_malformed();
    struct notifier *notifier = make_notifier();
    watch(notifier, 0);
    for (unsigned interests = 1; interests <= (NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP);
         interests++)
        assert_int_equal(
            notifier_arm(notifier, fixture.server[0], &fixture.token[0], interests, NULL), 0);
    notifier_unwatch(notifier, fixture.server[0], leave_open);
    notifier_destroy(notifier);
    use_datagrams();
    assert_int_equal(emulation_malformed(), malformed);
}

/* --- accepted sockets ------------------------------------------------------------------------- */

/* Asserts that a receive gets no data, and returns the error of Winsock. */
static int receive_nothing(SOCKET socket)
{
    char byte;
    assert_int_equal(recv(socket, &byte, 1, 0), SOCKET_ERROR);
    return WSAGetLastError();
}

/* Does what the sample's AcceptConnection does, with a listening socket that blocks. */
TEST_WITH(an_accepted_socket_left_blocking_holds_its_thread, set_up, tear_down)
{
    (void)state;
    u_long blocking = 0;
    assert_int_equal(ioctlsocket((SOCKET)fixture.listening, FIONBIO, &blocking), 0);
    wait_handle client = tcp_client_connect(&fixture.bound);
    SOCKET accepted = accept((SOCKET)fixture.listening, NULL, NULL);
    assert_true(accepted != INVALID_SOCKET);
    DWORD short_ms = 100; /* instead of blocking for ever */
    assert_int_equal(
        setsockopt(accepted, SOL_SOCKET, SO_RCVTIMEO, (const char *)&short_ms, sizeof short_ms), 0);
    assert_int_equal(receive_nothing(accepted), WSAETIMEDOUT);
    closesocket(accepted);
    tcp_connection_close(client);
    client = tcp_client_connect(&fixture.bound);
    wait_handle ours = accept_one();
    assert_int_equal(receive_nothing((SOCKET)ours), WSAEWOULDBLOCK);
    tcp_connection_close(ours);
    tcp_connection_close(client);
}

/*
 * An accepted socket inherits WSAEventSelect from its listening socket. While this selection is in
 * force, no notifications come.
 */
TEST_WITH(an_accepted_socket_is_not_selected_for_events_any_more, set_up, tear_down)
{
    (void)state;
    HANDLE selected = CreateEventW(NULL, TRUE, FALSE, NULL);
    assert_int_equal(WSAEventSelect((SOCKET)fixture.listening, selected, FD_ACCEPT | FD_READ), 0);
    wait_handle client = tcp_client_connect(&fixture.bound);
    wait_handle accepted = accept_one();
    ResetEvent(selected);
    size_t sent;
    assert_int_equal(tcp_connection_send(client, "x", 1, &sent), TCP_OK);
    assert_int_equal(WaitForSingleObject(selected, SILENCE_MS), WAIT_TIMEOUT);
    struct notifier *notifier = make_notifier();
    assert_int_equal(notifier_watch(notifier, accepted, &fixture.token[0], NOTIFIER_IN, NULL), 0);
    assert_int_equal(next_event(notifier).ready, NOTIFIER_IN);
    notifier_unwatch(notifier, accepted, tcp_connection_close);
    notifier_destroy(notifier);
    tcp_connection_close(client);
    WSAEventSelect((SOCKET)fixture.listening, NULL, 0);
    CloseHandle(selected);
}

/* --- removal ---------------------------------------------------------------------------------- */

/*
 * Does what the function of the sample does. It takes packets of any socket, and requests the
 * removal again in each round.
 */
static size_t deregister_and_wait(int which)
{
    size_t requests = 0;
    OVERLAPPED_ENTRY packet = {0};
    uint32_t found = 0;
    while ((packet.dwNumberOfBytesTransferred & SOCKET_EVENT_REMOVE) == 0) {
        requests++;
        DWORD failed = call(which, SOCKET_OPERATION_REMOVE, 0, 0, &packet, &found);
        if (failed != 0 && requests > 1)
            break; /* the sample gives up when its second request fails */
        assert_int_equal(failed, 0);
    }
    return requests;
}

TEST_WITH(deregister_and_wait_drops_other_sockets_packets_and_asks_in_each_round, set_up, tear_down)
{
    (void)state;
    emulation_hold_removals(true);
    send_bytes(1, 1);
    enable(1);
    enable(0);
    assert_true(deregister_and_wait(0) > 1);
    emulation_hold_removals(false);
    OVERLAPPED_ENTRY packet = next_packet(PATIENCE_MS);
    assert_int_equal(packet.dwNumberOfBytesTransferred, SOCKET_EVENT_REMOVE);
    /* The packet of the other socket was taken and is lost. */
    assert_int_equal(next_packet(SILENCE_MS).dwNumberOfBytesTransferred, 0);
}

TEST_WITH(the_notifier_removes_one_with_one_request_and_keeps_others_events, set_up, tear_down)
{
    (void)state;
    struct notifier *notifier = make_notifier();
    watch(notifier, 1);
    watch(notifier, 0);
    send_bytes(1, 1);
    size_t calls = emulation_calls();
    notifier_unwatch(notifier, fixture.server[0], leave_open);
    assert_ptr_equal(next_event(notifier).token, &fixture.token[1]);
    notifier_finish(notifier);
    assert_int_equal(emulation_calls(), calls + 1);
    notifier_destroy(notifier);
}

/* --- other operations on the port ------------------------------------------------------------- */

/* The header of another operation on the port, as port_key.h documents it. */
struct other_operation {
    OVERLAPPED overlapped;
    int kind;
};

TEST_WITH(a_packet_of_another_operation_passes_through_streams, set_up, tear_down)
{
    (void)state;
    struct other_operation operation = {.kind = 7};
    struct notifier *notifier = make_notifier();
    watch(notifier, 0);
    for (DWORD bytes = 0; bytes < 256; bytes++) /* all values of the bits that could be events */
        assert_true(emulation_post_other((SOCKET)fixture.server[0], PORT_KEY_OTHER, bytes,
                                         &operation.overlapped));
    send_bytes(0, 1);
    struct notifier_event event = next_event(notifier);
    assert_ptr_equal(event.token, &fixture.token[0]);
    assert_int_equal(event.ready, NOTIFIER_IN);
    assert_int_equal(operation.kind, 7);
    notifier_unwatch(notifier, fixture.server[0], leave_open);
    notifier_finish(notifier);
    assert_int_equal(notifier_unremoved(notifier), 0);
    notifier_destroy(notifier);
}

/* No registration has had these keys, or only an earlier one in the same slot. */
TEST_WITH(a_packet_with_an_unknown_key_is_ignored_too, set_up, tear_down)
{
    (void)state;
    static const ULONG_PTR keys[] = {1, 2, 1000, (ULONG_PTR)1 << 40, (ULONG_PTR)-2};
    struct notifier *notifier = make_notifier();
    watch(notifier, 0);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_true(emulation_post_other((SOCKET)fixture.server[0], keys[i],
                                         SOCKET_EVENT_IN | SOCKET_EVENT_REMOVE, NULL));
    struct notifier_event event;
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, SILENCE_MS), 0);
    notifier_destroy(notifier);
}

/* A file is associated with the notifier's port, so its writes complete there. */
TEST_WITH(a_files_completion_passes_through, set_up, tear_down)
{
    (void)state;
    wchar_t folder[MAX_PATH], path[MAX_PATH];
    struct other_operation operation = {.kind = 7};
    DWORD written = 0;
    struct notifier *notifier = make_notifier();
    assert_true(GetTempPathW(MAX_PATH, folder) != 0);
    assert_true(GetTempFileNameW(folder, L"slc", 0, path) != 0);
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                              FILE_FLAG_OVERLAPPED | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    HANDLE port = ((const struct stream_port *)notifier)->port;
    assert_ptr_equal(CreateIoCompletionPort(file, port, PORT_KEY_OTHER, 0), port);
    watch(notifier, 0);
    if (!WriteFile(file, "line", 4, NULL, &operation.overlapped))
        assert_int_equal(GetLastError(), ERROR_IO_PENDING);
    assert_true(GetOverlappedResult(file, &operation.overlapped, &written, TRUE));
    assert_int_equal(written, 4);
    send_bytes(0, 1);
    assert_ptr_equal(next_event(notifier).token, &fixture.token[0]);
    CloseHandle(file);
    notifier_destroy(notifier);
}

TEST_WITH(a_packet_of_another_operation_passes_through_datagrams, set_up, tear_down)
{
    (void)state;
    struct other_operation operation = {.kind = 7};
    struct notifier *notifier;
    struct notifier_event event;
    struct error error;
    struct plain_socket *socket = plain_socket_open(true);
    assert_int_equal(notifier_create(&notifier, notifier_backends[0], 1, &error), 0);
    wait_handle handle = plain_socket_handle(socket);
    assert_int_equal(notifier_add(notifier, handle, &fixture.token[0], &error), 0);
    assert_true(emulation_post_other((SOCKET)handle, PORT_KEY_OTHER, SOCKET_EVENT_IN,
                                     &operation.overlapped));
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, SILENCE_MS), 0);
    notifier_destroy(notifier);
    plain_socket_close(socket);
}

TEST_WITH(and_through_levels_that_stay, set_up, tear_down)
{
    (void)state;
    struct other_operation operation = {.kind = 7};
    struct notifier *notifier;
    struct notifier_event event;
    struct error error;
    assert_int_equal(notifier_create_for_levels(&notifier, fixture.server[0], &fixture.token[0],
                                                NOTIFIER_IN, &error),
                     0);
    assert_true(emulation_post_other((SOCKET)fixture.server[0], PORT_KEY_OTHER, SOCKET_EVENT_IN,
                                     &operation.overlapped));
    assert_int_equal(notifier_wait(notifier, 0, &event, 1, SILENCE_MS), 0);
    notifier_destroy(notifier);
}
