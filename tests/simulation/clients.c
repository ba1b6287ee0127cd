#include "tests/simulation/clients.h"

#include <string.h>

#include "tests/simulation/configuration_tcp.h"
#include "tests/simulation/frames.h"
#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/tcp_network.h"
#include "tests/simulation/world.h"

#define CLIENTS_MOST 6

static unsigned connecting;

bool clients_go_on(void)
{
    return connecting != 0;
}

/* --- one connection --------------------------------------------------------------------------- */

#define BURST_MOST ((size_t)64 * 1024)

struct session {
    struct tcp_connection *connection;
    enum framing_kind framing;
    uint8_t listener;
    unsigned number; /* number of the connection in this run, from 0 */
    uint32_t sequence;
    uint64_t written; /* bytes of the stream so far, including those in `burst` */
    size_t piece;     /* most bytes sent at a time; 0 for no limit */
    int64_t pause_ns; /* longest pause between two pieces */
    unsigned reads;   /* pieces in a thousand after which it reads answers */
    bool is_dense;    /* sends many short messages in a row */
    size_t size;
    uint8_t burst[BURST_MOST];
};

static void read_answers(struct session *session)
{
    uint8_t bytes[200];
    if (world_chance(session->reads))
        tcp_read_answers(session->connection, bytes, sizeof bytes);
}

static bool flush(struct session *session, size_t size)
{
    struct tcp_connection *connection = session->connection;
    size_t sent = 0;
    while (sent != size) {
        size_t most = session->piece != 0 ? 1 + (size_t)world_below(session->piece) : size;
        size_t taken =
            tcp_send(connection, session->burst + sent, most < size - sent ? most : size - sent);
        sent += taken;
        read_answers(session);
        if (taken == 0)
            world_wait(tcp_takes_some, connection,
                       session->reads != 0 ? world_now_ns() + 20 * MILLISECONDS : WORLD_NEVER);
        else if (session->pause_ns != 0)
            world_sleep((int64_t)world_below((uint64_t)session->pause_ns));
        else
            world_step();
        if (connection->closed || connection->reset)
            return false;
    }
    session->size = 0;
    return true;
}

static void put(struct session *session, const uint8_t *bytes, size_t size)
{
    memcpy(session->burst + session->size, bytes, size);
    session->size += size;
    session->written += size;
}

static void put_marked(struct session *session, const uint8_t *bytes, size_t size,
                       enum frame_kind kind, uint32_t number)
{
    put(session, bytes, size);
    tcp_mark(session->connection, session->written, kind, number);
}

static void put_empty(struct session *session)
{
    uint8_t head[10];
    put_marked(session, head, frame_head(session->framing, 0, head), FRAME_OF_NOTHING, 0);
}

static bool may_go_on(const struct session *session)
{
    return history->sent_count < HISTORY_DATAGRAMS &&
           session->connection->mark_count < TCP_MARKS_MOST - 8 &&
           session->size + 2 * MESSAGE_MOST < BURST_MOST;
}

/*
 * Appends a message to `burst`. `kind` is FRAME_OF_NO_KIND if the stream does not allow a message
 * now.
 */
static void put_record(struct session *session, enum frame_kind kind)
{
    uint8_t head[10], bytes[MESSAGE_MOST];
    uint32_t number = history->sent_count++;
    struct message message = {.is_riemann = session->connection->is_answered,
                              .number = number,
                              .sender = HISTORY_SENDERS + session->number,
                              .boot = history->life,
                              .sequence = ++session->sequence,
                              .is_good = !world_chance(50),
                              .padding = session->is_dense  ? 0
                                         : world_chance(20) ? (size_t)world_below(MESSAGE_PADDING)
                                                            : (size_t)world_below(3) * 200};
    history->sent[number] =
        (struct sent){.life = (uint8_t)history->life,
                      .listener = session->listener,
                      .flow = (uint16_t)(HISTORY_SENDER_FLOWS + session->number),
                      .sequence = message.sequence,
                      .is_good = message.is_good};
    size_t size = message_write(bytes, &message);
    put(session, head, frame_head(session->framing, size, head));
    put_marked(session, bytes, size, kind, number);
}

static void put_control(struct session *session, enum frame_control control, const char *type,
                        enum frame_kind kind)
{
    uint8_t bytes[60];
    put_marked(session, bytes, frame_control(control, type, bytes), kind, 0);
}

/* --- frame streams ---------------------------------------------------------------------------- */

static const char *choose_type(void)
{
    return world_chance(500) ? NULL : "protobuf:sluice.Telemetry";
}

/* Reads a control frame, which must be `wanted`. Returns false if the connection has ended. */
static bool hears(struct session *session, enum frame_control wanted)
{
    uint8_t bytes[64];
    size_t size = 0, whole = 12;
    while (size < whole) {
        size_t got = tcp_read_answers(session->connection, bytes + size, whole - size);
        size += got;
        if (size == 12 && bytes[3] == 0 && bytes[7] < 52)
            whole = 8 + (size_t)bytes[7];
        if (got == 0 && (tcp_is_closed(session->connection) || session->connection->reset))
            return false;
        if (got == 0)
            world_wait(tcp_has_answers, session->connection, WORLD_NEVER);
    }
    if (bytes[11] != wanted)
        world_fail("a client was answered with control frame %u, not %u", bytes[11], wanted);
    return true;
}

/* Sends the control frames that begin a stream. Returns true if messages may follow. */
static bool begin_stream(struct session *session, bool two_way)
{
    if (session->framing != FRAMES_STREAMS)
        return true;
    if (may_go_on(session) && world_chance(30)) {
        put_record(session, FRAME_OF_NO_KIND);
        return true;
    }
    if (world_chance(30)) {
        put_control(session, CONTROL_IS_START, "text/plain", FRAME_OTHER_TYPE);
        return true;
    }
    if (two_way) {
        put_control(session, CONTROL_IS_READY, choose_type(), FRAME_ANSWERED);
        if (!flush(session, session->size) || !hears(session, CONTROL_IS_ACCEPT))
            return false;
    }
    put_control(session, CONTROL_IS_START, choose_type(), FRAME_OF_CONTROL);
    return true;
}

static bool end_stream(struct session *session, bool two_way)
{
    if (session->framing != FRAMES_STREAMS || world_chance(200))
        return true;
    put_control(session, CONTROL_IS_STOP, NULL, two_way ? FRAME_ANSWERED : FRAME_OF_CONTROL);
    return flush(session, session->size) && (!two_way || hears(session, CONTROL_IS_FINISH));
}

/* --- the course of a connection, and its end -------------------------------------------------- */

static bool send_bursts(struct session *session)
{
    for (uint64_t bursts = world_below(5); bursts > 0; bursts--) {
        uint64_t most = session->is_dense ? 700 : world_chance(200) ? 60 : 10;
        for (uint64_t count = 1 + world_below(most); count > 0 && may_go_on(session); count--)
            if (session->framing != FRAMES_STREAMS && !session->connection->is_answered &&
                world_chance(10)) /* in other streams an empty frame counts as a message */
                put_empty(session);
            else
                put_record(session, FRAME_OF_RECORD);
        if (!flush(session, session->size))
            return false;
        world_sleep((int64_t)world_below(world_chance(100) ? 500 : 20) * MILLISECONDS);
    }
    return true;
}

static bool send_part(struct session *session)
{
    if (!may_go_on(session))
        return true;
    put_record(session, FRAME_OF_RECORD);
    return flush(session, 1 + (size_t)world_below(session->size - 1));
}

/* Sends a length that no listener accepts. */
static bool send_nonsense(struct session *session)
{
    uint8_t bytes[10];
    bool long_one = world_chance(500);
    size_t size = long_one ? frame_head_too_long(session->framing, bytes)
                           : frame_garbage(session->framing, bytes);
    if (size == 0 || !may_go_on(session))
        return true;
    put_marked(session, bytes, size, long_one ? FRAME_TOO_LONG : FRAME_OF_NO_KIND, 0);
    if (world_chance(500))
        put_record(session, FRAME_OF_RECORD);
    return flush(session, session->size);
}

static void wait_for_end(struct session *session)
{
    world_wait(tcp_is_closed, session->connection,
               world_now_ns() + (int64_t)world_below(6000) * MILLISECONDS);
}

static void end_session(struct session *session, bool two_way)
{
    switch (world_below(8)) {
    case 0:
        if (!send_part(session))
            return;
        break;
    case 1:
        if (send_nonsense(session) && world_chance(700))
            wait_for_end(session);
        break;
    case 2:
        if (world_chance(500) && !send_part(session))
            return;
        wait_for_end(session); /* sends no more data */
        break;
    case 3:
        if (world_chance(500) && !send_part(session))
            return;
        tcp_break(session->connection, world_chance(500));
        return;
    default:
        if (!end_stream(session, two_way))
            return;
    }
    tcp_finish(session->connection, world_chance(500));
    if (world_chance(100))
        tcp_break(session->connection, world_chance(500));
    else if (world_chance(500))
        wait_for_end(session);
}

struct address clients_address(unsigned connection)
{
    const uint8_t host[4] = {127, 0, 0, (uint8_t)(1 + connection / 2 % 3)};
    return address_from_ipv4(host, (uint16_t)(50000 + connection));
}

/* Connects and sends data. Returns false if the program did not listen on the port. */
static bool connect_once(const struct scenario *scenario, struct session *session)
{
    static const size_t buffers[] = {300, 4096, TCP_BUFFER_MOST};
    unsigned index = (unsigned)world_below(HISTORY_STREAMS);
    bool two_way = world_chance(500);
    if (history->connections == HISTORY_CONNECTIONS)
        return false;
    unsigned number = history->connections;
    const struct address from = clients_address(number);
    struct tcp_connection *connection =
        tcp_connect((uint16_t)(TCP_PORT + index), &from, buffers[world_below(3)]);
    if (connection == NULL)
        return false;
    history->connections++;
    *session = (struct session){.connection = connection,
                                .framing = scenario->streams[index].framing,
                                .listener = (uint8_t)(HISTORY_LISTENERS + index),
                                .number = number};
    connection->framing = session->framing;
    connection->is_answered = scenario->streams[index].is_answered;
    connection->reads_at_once = connection->is_answered && world_chance(700);
    session->reads = connection->is_answered && world_chance(500) ? 300 : 0;
    session->is_dense = connection->is_answered && world_chance(50);
    session->piece = world_chance(500) ? 0 : 1 + (size_t)world_below(2000);
    session->pause_ns = world_chance(500) ? 0 : (int64_t)world_below(2000) * MICROSECONDS;
    if (world_chance(50))
        wait_for_end(session);
    if (begin_stream(session, two_way) && send_bursts(session) && flush(session, session->size))
        end_session(session, two_way);
    return true;
}

/* --- clients ---------------------------------------------------------------------------------- */

static struct session sessions[CLIENTS_MOST];
static const struct scenario *served;

static void be_client(void *argument)
{
    struct session *session = argument;
    world_sleep((int64_t)world_below(50) * MILLISECONDS);
    for (uint64_t times = 1 + world_below(8); times > 0; times--) {
        bool was_there = connect_once(served, session);
        world_sleep((int64_t)world_below(was_there ? 20 : 200) * MILLISECONDS);
    }
    connecting--;
}

static void choose_faults(void)
{
    tcp_faults = (struct tcp_faults){.few = world_chance(500) ? (unsigned)world_below(500) : 0,
                                     .late_hangup = world_chance(500)};
    if (!world_chance(300))
        return;
    tcp_faults.later = (unsigned)world_below(100);
    tcp_faults.accept = (unsigned)world_below(200);
    tcp_faults.watch = world_chance(500) ? (unsigned)world_below(20) : 0;
}

void clients_begin(const struct scenario *scenario)
{
    if (!configuration_tcp_is_there(scenario))
        return;
    served = scenario;
    choose_faults();
    connecting = 1 + (unsigned)world_below(CLIENTS_MOST);
    for (unsigned i = connecting; i > 0; i--)
        world_start("client", be_client, &sessions[i - 1]);
}
