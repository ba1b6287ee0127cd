/* Tests that the control socket reports waiting clients, and that reads and writes never block. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/control.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/control_peer.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000

static struct control *control;
static struct control_socket *server;

static int set_up(void **state)
{
    struct error error;
    if (control_peer_set_up(state) != 0 || control_create(&control, &error) != 0)
        return -1;
    if (control_socket_open(&server, control_peer_address(), &error) != 0)
        fail_msg("%s", error.text);
    return 0;
}

static int tear_down(void **state)
{
    control_socket_close(server);
    control_destroy(control);
    return control_peer_tear_down(state);
}

static enum control_event watch(wait_handle handle, bool want_read, bool want_write, int timeout_ms)
{
    struct control_watch watched = {handle, want_read, want_write};
    return control_wait(control, &watched, 1, timeout_ms);
}

static void wait_readable(wait_handle handle)
{
    assert_int_equal(watch(handle, true, false, PATIENCE_MS), CONTROL_READY);
}

static struct control_connection *accepted(void)
{
    struct control_connection *connection;
    wait_readable(control_socket_handle(server));
    assert_int_equal(control_socket_accept(server, &connection), CONTROL_DONE);
    return connection;
}

static void assert_reads(struct control_connection *connection, const char *expected)
{
    char bytes[64];
    size_t size = 0;
    while (size < strlen(expected)) {
        size_t moved = 0;
        wait_readable(control_connection_handle(connection));
        assert_int_equal(
            control_connection_read(connection, bytes + size, sizeof bytes - size, &moved),
            CONTROL_DONE);
        assert_in_range(moved, 1, sizeof bytes - size);
        size += moved;
    }
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
}

static void assert_would_not_read(struct control_connection *connection)
{
    char byte;
    size_t moved;
    assert_int_equal(watch(control_connection_handle(connection), true, false, 0), CONTROL_TIMEOUT);
    assert_int_equal(control_connection_read(connection, &byte, 1, &moved), CONTROL_WOULD_BLOCK);
}

static void assert_is_over(struct control_connection *connection)
{
    char byte;
    size_t moved;
    for (int i = 0; i < 2; i++) {
        wait_readable(control_connection_handle(connection));
        assert_int_equal(control_connection_read(connection, &byte, 1, &moved), CONTROL_OVER);
    }
}

static void write_text(struct control_connection *connection, const char *text)
{
    size_t moved = 0;
    assert_int_equal(control_connection_write(connection, text, strlen(text), &moved),
                     CONTROL_DONE);
    assert_int_equal(moved, strlen(text));
}

static void assert_receives(struct control_peer *peer, const char *expected)
{
    char bytes[64];
    size_t size = 0;
    while (size < strlen(expected)) {
        size_t got = control_peer_receive(peer, bytes + size, strlen(expected) - size);
        assert_int_not_equal(got, 0);
        size += got;
    }
    assert_memory_equal(bytes, expected, size);
}

TEST_WITH(a_client_is_noticed_accepted_and_answered, set_up, tear_down)
{
    (void)state;
    struct control_connection *connection;
    assert_int_equal(control_socket_accept(server, &connection), CONTROL_WOULD_BLOCK);
    assert_int_equal(watch(control_socket_handle(server), true, false, 0), CONTROL_TIMEOUT);
    struct control_peer *peer = control_peer_connect(control_peer_address());
    connection = accepted();
    assert_int_equal(control_socket_accept(server, &connection), CONTROL_WOULD_BLOCK);
    assert_int_equal(watch(control_socket_handle(server), true, false, 0), CONTROL_TIMEOUT);
    assert_would_not_read(connection);
    assert_int_equal(watch(control_connection_handle(connection), true, true, 0), CONTROL_READY);
    control_peer_send(peer, "hello", 5);
    assert_reads(connection, "hello");
    assert_would_not_read(connection);
    write_text(connection, "and you");
    assert_receives(peer, "and you");
    control_peer_send(peer, "fine", 4);
    assert_reads(connection, "fine");
    control_peer_close(peer);
    control_connection_close(connection);
}

TEST_WITH(what_comes_at_once_may_be_read_in_parts, set_up, tear_down)
{
    (void)state;
    char bytes[4];
    size_t moved = 0;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    control_peer_send(peer, "abcdef", 6);
    wait_readable(control_connection_handle(connection));
    assert_int_equal(control_connection_read(connection, bytes, 4, &moved), CONTROL_DONE);
    assert_int_equal(moved, 4);
    assert_memory_equal(bytes, "abcd", 4);
    assert_reads(connection, "ef");
    assert_would_not_read(connection);
    control_peer_close(peer);
    control_connection_close(connection);
}

TEST_WITH(clients_are_several_and_each_has_its_own, set_up, tear_down)
{
    (void)state;
    enum { CLIENTS = 8 };
    struct control_peer *peers[CLIENTS];
    struct control_connection *connections[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        char number = (char)('0' + i);
        peers[i] = control_peer_connect(control_peer_address());
        control_peer_send(peers[i], &number, 1);
        connections[i] = accepted();
    }
    for (size_t i = CLIENTS; i-- > 0;) {
        char text[] = {(char)('0' + i), '\0'};
        assert_reads(connections[i], text);
        write_text(connections[i], text);
        assert_receives(peers[i], text);
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        control_connection_close(connections[i]);
        control_peer_close(peers[i]);
    }
}

TEST_WITH(a_client_that_came_and_left_before_it_was_accepted_is_heard_to_its_end, set_up, tear_down)
{
    (void)state;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    control_peer_send(peer, "bye", 3);
    control_peer_close(peer);
    struct control_connection *connection = accepted();
    assert_reads(connection, "bye");
    assert_is_over(connection);
    control_connection_close(connection);
}

/* A write also detects that the peer has closed, but perhaps not the first one. */
TEST_WITH(writing_to_one_that_has_left_ends, set_up, tear_down)
{
    (void)state;
    enum control_result result = CONTROL_DONE;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    control_peer_close(peer);
    for (int i = 0; i < 3 && result != CONTROL_OVER; i++) {
        size_t moved;
        assert_int_equal(watch(control_connection_handle(connection), false, true, PATIENCE_MS),
                         CONTROL_READY);
        result = control_connection_write(connection, "x", 1, &moved);
    }
    assert_int_equal(result, CONTROL_OVER);
    assert_is_over(connection);
    control_connection_close(connection);
}

static unsigned char byte_at(size_t place)
{
    return (unsigned char)(place * 7 + place / 251);
}

static size_t receive_some(struct control_peer *peer, size_t from)
{
    unsigned char bytes[5000];
    size_t got = control_peer_receive(peer, bytes, sizeof bytes);
    assert_int_not_equal(got, 0);
    for (size_t i = 0; i < got; i++)
        assert_int_equal(bytes[i], byte_at(from + i));
    return got;
}

TEST_WITH(a_client_that_does_not_read_has_nobody_wait, set_up, tear_down)
{
    (void)state;
    enum { SIZE = 3000000 };
    unsigned char *answer = malloc(SIZE);
    size_t written = 0;
    size_t received = 0;
    bool stalled = false;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    assert_non_null(answer);
    for (size_t i = 0; i < SIZE; i++)
        answer[i] = byte_at(i);
    while (written < SIZE) {
        size_t moved = 0;
        enum control_result result =
            control_connection_write(connection, answer + written, SIZE - written, &moved);
        written += moved;
        if (result == CONTROL_DONE)
            continue;
        assert_int_equal(result, CONTROL_WOULD_BLOCK);
        /* When the connection is not writable, the peer reads some bytes. */
        if (watch(control_connection_handle(connection), false, true, 0) == CONTROL_TIMEOUT) {
            stalled = true;
            received += receive_some(peer, received);
        }
    }
    assert_true(stalled);
    while (received < SIZE)
        received += receive_some(peer, received);
    assert_int_equal(received, SIZE);
    free(answer);
    control_peer_close(peer);
    control_connection_close(connection);
}

TEST_WITH(what_was_written_before_the_end_arrives_and_then_the_end, set_up, tear_down)
{
    (void)state;
    char byte;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    write_text(connection, "too many");
    control_connection_close(connection);
    assert_receives(peer, "too many");
    assert_int_equal(control_peer_receive(peer, &byte, 1), 0);
    control_peer_close(peer);
}

/* The close must cancel the pending write. If it does not, the sanitizers report an error. */
TEST_WITH(closing_does_not_wait_for_one_that_does_not_read, set_up, tear_down)
{
    (void)state;
    char block[4096] = {0};
    enum control_result result = CONTROL_DONE;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    while (result == CONTROL_DONE) {
        size_t moved;
        result = control_connection_write(connection, block, sizeof block, &moved);
    }
    assert_int_equal(result, CONTROL_WOULD_BLOCK);
    control_connection_close(connection);
    control_connection_close(NULL);
    control_peer_close(peer);
}

TEST_WITH(an_address_is_one_programs_until_it_closes, set_up, tear_down)
{
    (void)state;
    struct control_socket *other = NULL;
    struct error error = {0};
    assert_int_equal(control_socket_open(&other, control_peer_address(), &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "another program listens there"));
    control_socket_close(server);
    assert_int_equal(control_socket_open(&server, control_peer_address(), &error), 0);
    struct control_peer *peer = control_peer_connect(control_peer_address());
    control_connection_close(accepted());
    control_peer_close(peer);
}

struct opener {
    const char *address;
    atomic_int *waited_for; /* number of threads that have not arrived yet */
    struct thread *thread;
    struct control_socket *socket;
    struct error error;
    int result;
};

static void open_with_the_others(void *argument)
{
    struct opener *opener = argument;
    atomic_fetch_sub(opener->waited_for, 1);
    while (atomic_load(opener->waited_for) != 0)
        this_thread_yield();
    opener->result = control_socket_open(&opener->socket, opener->address, &opener->error);
}

TEST_WITH(of_several_that_open_an_address_together_one_has_it, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    enum { ROUNDS = 30, OPENERS = 4 };
    const char *address = control_peer_address();
    for (int round = 0; round < ROUNDS; round++) {
        atomic_int waited_for = OPENERS;
        struct opener openers[OPENERS];
        struct control_socket *owner = NULL;
        struct error error;
        for (int i = 0; i < OPENERS; i++) {
            openers[i] = (struct opener){.address = address, .waited_for = &waited_for};
            assert_int_equal(thread_start(&openers[i].thread, "opener", open_with_the_others,
                                          &openers[i], &error),
                             0);
        }
        for (int i = 0; i < OPENERS; i++)
            thread_join(openers[i].thread);
        for (int i = 0; i < OPENERS; i++) {
            if (openers[i].result == 0) {
                assert_null(owner);
                owner = openers[i].socket;
            } else {
                assert_non_null(strstr(openers[i].error.text, "another program listens there"));
            }
        }
        assert_non_null(owner);
        control_socket_close(owner);
    }
}

TEST_WITH(our_own_user_may_order, set_up, tear_down)
{
    (void)state;
    struct control_peer *peer = control_peer_connect(control_peer_address());
    struct control_connection *connection = accepted();
    assert_true(control_connection_may_order(connection));
    control_peer_close(peer);
    control_connection_close(connection);
}

TEST_WITH(a_name_that_is_too_long_is_refused, set_up, tear_down)
{
    (void)state;
    char address[400];
    struct control_socket *other = NULL;
    struct error error = {0};
    size_t scheme = strcspn(control_socket_syntax, ":") + 1;
    memcpy(address, control_socket_syntax, scheme);
    memset(address + scheme, 'x', sizeof address - scheme);
    address[sizeof address - 1] = '\0';
    assert_int_equal(control_socket_open(&other, address, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "too long"));
    control_socket_close(NULL);
}
