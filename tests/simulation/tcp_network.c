#include "tests/simulation/tcp_network.h"

#include <string.h>

#include "collector/platform/notifier.h"
#include "tests/simulation/world.h"

struct tcp_faults tcp_faults;
bool (*tcp_may_close)(uint16_t port);
void (*tcp_waits_for_answer)(uint32_t number);
void (*tcp_was_answered)(uint32_t number);

static struct tcp_connection connections[TCP_CONNECTIONS_MOST];
static size_t connection_count;
static struct tcp_port ports[TCP_PORTS_MOST];

size_t tcp_connection_count(void)
{
    return connection_count;
}

struct tcp_connection *tcp_connection_at(size_t index)
{
    return &connections[index];
}

struct tcp_port *tcp_port(uint16_t number)
{
    size_t i = 0;
    while (ports[i].number != 0 && ports[i].number != number)
        if (++i == TCP_PORTS_MOST)
            world_fail("more than %d ports", TCP_PORTS_MOST);
    ports[i].number = number;
    return &ports[i];
}

struct tcp_port *tcp_port_at(size_t index)
{
    return &ports[index];
}

/* --- levels that hold now --------------------------------------------------------------------- */

void tcp_note_connection(struct tcp_connection *connection)
{
    unsigned level = 0;
    bool reset = connection->reset && (connection->used == 0 || !tcp_faults.late_hangup);
    if (connection->used != 0 || connection->ended)
        level |= NOTIFIER_IN;
    if (connection->answers_used != sizeof connection->answers)
        level |= NOTIFIER_OUT;
    if (connection->ended && (connection->used == 0 || !tcp_faults.late_hangup))
        level |= NOTIFIER_HANGUP;
    if (reset)
        level |= NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP;
    tcp_note_level(&connection->watch, level);
}

void tcp_note_port(struct tcp_port *port)
{
    tcp_note_level(&port->watch, port->waiting_count != 0 ? NOTIFIER_IN : 0);
}

/* --- clients ---------------------------------------------------------------------------------- */

struct tcp_connection *tcp_connect(uint16_t number, const struct address *from, size_t buffer)
{
    struct tcp_port *port = tcp_port(number);
    if (!port->listens || port->waiting_count == TCP_WAITING_MOST ||
        connection_count == TCP_CONNECTIONS_MOST)
        return NULL;
    struct tcp_connection *connection = &connections[connection_count++];
    *connection = (struct tcp_connection){.port = port,
                                          .generation = port->generation,
                                          .peer = *from,
                                          .capacity = buffer,
                                          .active_ns = world_now_ns()};
    port->waiting[port->waiting_count++] = connection;
    tcp_note_connection(connection);
    tcp_note_port(port);
    return connection;
}

void tcp_mark(struct tcp_connection *connection, uint64_t end, enum frame_kind kind,
              uint32_t number)
{
    if (connection->mark_count == TCP_MARKS_MOST)
        world_fail("more than %d frames of a connection", TCP_MARKS_MOST);
    connection->marks[connection->mark_count++] = (struct tcp_mark){end, kind, number};
}

size_t tcp_send(struct tcp_connection *connection, const uint8_t *bytes, size_t size)
{
    size_t taken = 0;
    if (connection->ended || connection->reset || connection->closed)
        return 0;
    if (connection->used == 0)
        connection->unread_ns = world_now_ns();
    while (taken < size && connection->used != connection->capacity) {
        size_t at = (connection->first + connection->used++) % connection->capacity;
        connection->bytes[at] = bytes[taken++];
    }
    tcp_note_connection(connection);
    return taken;
}

bool tcp_takes_some(const void *context)
{
    const struct tcp_connection *connection = context;
    return connection->closed || connection->reset || connection->used != connection->capacity;
}

bool tcp_is_closed(const void *context)
{
    const struct tcp_connection *connection = context;
    return connection->closed || connection->finished;
}

bool tcp_has_answers(const void *context)
{
    return tcp_is_closed(context) || ((const struct tcp_connection *)context)->answers_used != 0;
}

size_t tcp_read_answers(struct tcp_connection *connection, uint8_t *bytes, size_t size)
{
    size_t taken = size < connection->answers_used ? size : connection->answers_used;
    memcpy(bytes, connection->answers, taken);
    connection->answers_used -= taken;
    memmove(connection->answers, connection->answers + taken, connection->answers_used);
    tcp_note_connection(connection);
    return taken;
}

void tcp_finish(struct tcp_connection *connection, bool stops_reading)
{
    connection->ended = true;
    connection->stops_reading = stops_reading;
    tcp_note_connection(connection);
}

void tcp_break(struct tcp_connection *connection, bool loses)
{
    connection->reset = true;
    if (loses)
        connection->used = 0;
    tcp_note_connection(connection);
}
