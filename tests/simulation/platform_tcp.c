/* Implements collector/platform/tcp.h and tcp_connection.h in the simulated world. */
#include <string.h>

#include "collector/platform/tcp.h"
#include "tests/simulation/history.h"
#include "tests/simulation/network.h"
#include "tests/simulation/tcp_network.h"
#include "tests/simulation/world.h"

/*
 * Handles of connections begin here. A new handle is the lowest free number, as in a real system.
 */
#define FIRST_HANDLE 1000
static struct tcp_connection *handles[TCP_CONNECTIONS_MOST];

/* Handles of listeners begin here. */
#define LISTENERS_HANDLE 2000

bool tcp_is_listener(wait_handle handle)
{
    return handle >= LISTENERS_HANDLE;
}

struct tcp_port *tcp_port_of(wait_handle handle)
{
    return tcp_port((uint16_t)(handle - LISTENERS_HANDLE));
}

struct tcp_connection *tcp_connection_of(wait_handle handle)
{
    struct tcp_connection *connection = handles[handle - FIRST_HANDLE];
    if (connection == NULL)
        world_fail("connection %d is used after it was closed", (int)handle);
    return connection;
}

/* The time limit for the program to accept a connection. */
#define PATIENCE_NS (3 * SECONDS)

/* Data that stays unread for longer than this counts as starved. */
#define STARVES_NS (500 * MILLISECONDS)

/* --- listening -------------------------------------------------------------------------------- */

wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error)
{
    (void)ipv6_only;
    world_step();
    struct tcp_port *port = tcp_port(address->port);
    if (port->listens) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "somebody else listens on port %u", address->port);
        return NO_HANDLE;
    }
    port->listens = true;
    port->generation++;
    *bound = *address;
    world_step();
    return LISTENERS_HANDLE + address->port;
}

void tcp_listener_close(wait_handle listener)
{
    world_step();
    struct tcp_port *port = tcp_port_of(listener);
    tcp_forget_watch(&port->watch);
    for (size_t i = 0; i < port->waiting_count; i++) {
        port->waiting[i]->closed = true;
        if (world_now_ns() - port->waiting[i]->active_ns > PATIENCE_NS)
            world_fail("a connection to port %u was not accepted for seconds", port->number);
    }
    port->waiting_count = 0;
    port->listens = false;
    tcp_note_port(port);
}

void tcp_listener_limit_sending(wait_handle listener, size_t bytes)
{
    (void)listener;
    (void)bytes;
}

wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error)
{
    (void)bound;
    (void)error;
    world_fail("there is no socket %d to be adopted", (int)other);
}

/* --- accepting -------------------------------------------------------------------------------- */

static wait_handle hand_out(struct tcp_connection *connection)
{
    size_t i = 0;
    while (handles[i] != NULL)
        i++;
    handles[i] = connection;
    return (wait_handle)(FIRST_HANDLE + i);
}

static struct tcp_connection *take_waiting(struct tcp_port *port)
{
    struct tcp_connection *connection = port->waiting[0];
    port->waiting_count--;
    memmove(port->waiting, port->waiting + 1, port->waiting_count * sizeof port->waiting[0]);
    tcp_note_port(port);
    return connection;
}

enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *handle, struct address *peer,
                                         struct error *error)
{
    (void)use;
    world_step();
    struct tcp_port *port = tcp_port_of(listener);
    if (!port->listens)
        world_fail("port %u is accepted from after it was closed", port->number);
    if (world_chance(tcp_faults.accept)) {
        port->accept_failures++;
        error_set(error, EXIT_CODE_IO, "cannot accept a connection: Too many open files");
        return ACCEPT_NO_MEANS;
    }
    while (port->waiting_count != 0) {
        struct tcp_connection *connection = take_waiting(port);
        if (connection->reset && world_chance(500)) { /* ECONNABORTED: the client is gone */
            connection->closed = true;
            continue;
        }
        connection->accepted = true;
        if (++port->open > port->most_open)
            port->most_open = port->open;
        *handle = hand_out(connection);
        *peer = connection->peer;
        world_step();
        return ACCEPT_OK;
    }
    return ACCEPT_WOULD_BLOCK;
}

/* --- receiving and sending -------------------------------------------------------------------- */

/*
 * Notes which messages the program has read completely. Stops after a frame that ends the stream.
 */
static void hand_over(struct tcp_connection *connection)
{
    while (connection->marks_read != connection->mark_count && !connection->was_ended) {
        const struct tcp_mark *mark = &connection->marks[connection->marks_read];
        if (mark->end > connection->read)
            return;
        connection->marks_read++;
        connection->was_ended = frame_is_last(mark->kind);
        if (mark->kind == FRAME_OF_RECORD)
            network_received(mark->number);
        if (mark->kind == FRAME_OF_RECORD && connection->is_answered)
            tcp_waits_for_answer(mark->number);
    }
}

static size_t take_bytes(struct tcp_connection *connection, uint8_t *to, size_t size)
{
    size_t taken = size < connection->used ? size : connection->used;
    if (world_chance(tcp_faults.few))
        taken = 1 + (size_t)world_below(taken);
    for (size_t i = 0; i < taken; i++)
        to[i] = connection->bytes[(connection->first + i) % connection->capacity];
    connection->first = (connection->first + taken) % connection->capacity;
    connection->used -= taken;
    connection->read += taken;
    connection->active_ns = connection->unread_ns = world_now_ns();
    tcp_note_connection(connection);
    hand_over(connection);
    return taken;
}

enum tcp_result tcp_connection_receive(wait_handle handle, void *to, size_t size, size_t *done)
{
    world_step();
    struct tcp_connection *connection = tcp_connection_of(handle);
    *done = 0;
    if (world_chance(tcp_faults.later))
        return TCP_WOULD_BLOCK;
    if (connection->used != 0) {
        *done = take_bytes(connection, to, size);
        world_step();
        return TCP_OK;
    }
    connection->told_reset |= connection->reset;
    connection->told_end |= connection->ended && !connection->reset;
    return connection->reset ? TCP_BROKEN : connection->ended ? TCP_END : TCP_WOULD_BLOCK;
}

/* Returns true if the answer is "ok". Otherwise it must contain a reason. */
static bool says_ok(const uint8_t *answer, size_t size)
{
    if (size < 2 || answer[0] != (2 << 3) || answer[1] != (size == 2))
        world_fail("a frame gets an invalid answer");
    return answer[1] == 1;
}

/* Checks an answer. Answers come in the order of the frames. */
static void take_answer(struct tcp_connection *connection, const uint8_t *answer, size_t size)
{
    if (connection->marks_answered == connection->marks_read)
        world_fail("something is answered that was not read");
    const struct tcp_mark *mark = &connection->marks[connection->marks_answered++];
    bool is_record = mark->kind == FRAME_OF_RECORD;
    if (says_ok(answer, size) != (is_record && history->sent[mark->number].is_good))
        world_fail("frame %u is answered as what it is not", mark->number);
    if (is_record)
        tcp_was_answered(mark->number);
}

static void note_answers(struct tcp_connection *connection, const uint8_t *bytes, size_t size)
{
    size_t whole, head;
    if (!connection->is_answered)
        return;
    if (size > sizeof connection->all_answers - connection->all_used)
        world_fail("a connection has too many answers");
    memcpy(connection->all_answers + connection->all_used, bytes, size);
    connection->all_used += size;
    while ((whole = frame_look(connection->framing, connection->all_answers + connection->all_seen,
                               connection->all_used - connection->all_seen, &head)) != 0) {
        take_answer(connection, connection->all_answers + connection->all_seen + head,
                    whole - head);
        connection->all_seen += whole;
    }
}

enum tcp_result tcp_connection_send(wait_handle handle, const void *bytes, size_t size,
                                    size_t *done)
{
    world_step();
    struct tcp_connection *connection = tcp_connection_of(handle);
    size_t room = sizeof connection->answers - connection->answers_used;
    *done = 0;
    if (connection->finished)
        world_fail("something is sent after the end");
    if (connection->reset) {
        connection->told_closed |= connection->ended;
        connection->told_broken |= !connection->ended;
        return connection->ended ? TCP_END : TCP_BROKEN;
    }
    if (room == 0 || world_chance(tcp_faults.later))
        return TCP_WOULD_BLOCK;
    *done = size < room ? size : room;
    if (world_chance(tcp_faults.few))
        *done = 1 + (size_t)world_below(*done);
    connection->active_ns = world_now_ns();
    note_answers(connection, bytes, *done);
    if (connection->stops_reading) { /* a closed client answers with a reset */
        tcp_break(connection, false);
        return TCP_OK;
    }
    if (connection->reads_at_once)
        return TCP_OK;
    memcpy(connection->answers + connection->answers_used, bytes, *done);
    connection->answers_used += *done;
    tcp_note_connection(connection);
    return TCP_OK;
}

void tcp_connection_finish(wait_handle handle)
{
    world_step();
    tcp_connection_of(handle)->finished = true;
}

void tcp_connection_close(wait_handle handle)
{
    world_step();
    struct tcp_connection *connection = tcp_connection_of(handle);
    struct tcp_port *port = connection->port;
    tcp_forget_watch(&connection->watch);
    connection->closed = true;
    connection->closed_in_doubt =
        tcp_may_close(port->number) || port->generation != connection->generation;
    connection->starved =
        connection->used != 0 && world_now_ns() - connection->unread_ns > STARVES_NS;
    connection->silent_ns = world_now_ns() - connection->active_ns;
    port->open--;
    port->watched -= connection->was_watched;
    handles[handle - FIRST_HANDLE] = NULL;
    world_step();
}
