#include "tests/simulation/check_tcp.h"

#include <inttypes.h>
#include <string.h>

#include "tests/simulation/configuration_tcp.h"
#include "tests/simulation/history.h"
#include "tests/simulation/ledger_reading.h"
#include "tests/simulation/tcp_network.h"
#include "tests/simulation/world.h"

/*
 * The most by which the program's idea of the current time may be late: a thread reads the clock at
 * the beginning of each loop, and may be stopped after that.
 */
#define TURN_NS (300 * MILLISECONDS)

/* The most connections that are closed but still counted as open: one for each thread. */
#define CLOSING_MOST 3

/*
 * The data delivered to the program over the connections of one listener, and how the connections
 * ended.
 */
struct totals {
    uint64_t connections, refused, failed;
    uint64_t good, bad, empty, control, too_long, no_kind;
    uint64_t answered, may_be_answered;
    uint64_t senders, lost;

    /*
     * Connections that ended before all answers came, and the number of their frames without an
     * answer. It is unknown whether the program accepted these frames.
     */
    uint64_t unsure, unsure_frames;

    /* Ends caused by the client or by its data. */
    uint64_t closed, cut, reset, bad_frame, other_content;

    /*
     * Ends caused by the program: inside a frame, or between two frames. The counts with late_
     * exclude ends that a stop or a reload may have caused.
     */
    uint64_t within, between;
    uint64_t late_within, late_between;
    uint64_t may_be_idle; /* silent for at least the idle timeout */
    uint64_t starved;     /* had unread data for longer than that timeout */
};

/* --- one connection --------------------------------------------------------------------------- */

static void count_frame(struct totals *totals, const struct tcp_mark *mark)
{
    switch (mark->kind) {
    case FRAME_OF_RECORD:
        totals->good += history->sent[mark->number].is_good;
        totals->bad += !history->sent[mark->number].is_good;
        break;
    case FRAME_OF_NOTHING:
        totals->empty++;
        break;
    case FRAME_ANSWERED:
        totals->may_be_answered++;
        totals->control++;
        break;
    case FRAME_OF_CONTROL:
    case FRAME_OTHER_TYPE:
        totals->control++;
        break;
    case FRAME_TOO_LONG:
        totals->too_long++;
        break;
    case FRAME_OF_NO_KIND:
        totals->no_kind++;
        break;
    }
}

/*
 * Counts the numbers that are missing between the first and the last record of a connection. Each
 * connection whose frames are not answered counts as a sender.
 */
static void count_lost(struct totals *totals, const struct tcp_connection *connection)
{
    uint64_t first = 0, last = 0, seen = 0;
    for (size_t i = 0; i < connection->marks_read; i++) {
        const struct tcp_mark *mark = &connection->marks[i];
        const struct sent *sent = &history->sent[mark->number];
        if (mark->kind != FRAME_OF_RECORD || !sent->is_good)
            continue;
        first = first == 0 ? sent->sequence : first;
        last = sent->sequence;
        seen++;
    }
    totals->senders += seen != 0;
    totals->lost += seen != 0 ? last - first + 1 - seen : 0;
}

static bool is_cut(const struct tcp_connection *connection)
{
    uint64_t whole = 0;
    if (connection->marks_read != 0)
        whole = connection->marks[connection->marks_read - 1].end;
    return connection->read > whole;
}

static void count_own_end(struct totals *totals, const struct scenario_stream *stream,
                          const struct tcp_connection *connection)
{
    bool within = is_cut(connection);
    totals->within += within;
    totals->between += !within;
    totals->late_within += within && !connection->closed_in_doubt;
    totals->late_between += !within && !connection->closed_in_doubt;
    totals->may_be_idle += connection->silent_ns + TURN_NS >= stream->idle_ns;
    totals->starved += connection->starved && !connection->closed_in_doubt;
}

/*
 * Returns true if the program may have ended the connection before it sent all answers. Then it is
 * unknown which frames it accepted.
 */
static bool is_unsure(const struct tcp_connection *connection)
{
    bool waits = connection->is_answered && connection->marks_answered != connection->marks_read;
    return connection->was_watched && !connection->told_end && !connection->told_reset &&
           (waits || connection->told_closed || connection->told_broken);
}

/* Counts frames that were answered, and the maximum number that may have been answered. */
static void count_answers(struct totals *totals, const struct tcp_connection *connection)
{
    uint64_t before = totals->may_be_answered;
    for (size_t i = 0; i < connection->marks_read; i++)
        count_frame(totals, &connection->marks[i]);
    if (connection->is_answered) {
        totals->answered += connection->marks_answered;
        totals->may_be_answered += connection->marks_read;
        if (is_unsure(connection))
            totals->unsure_frames += connection->marks_read - connection->marks_answered;
    } else if (!connection->told_closed && !connection->told_broken) {
        totals->answered += totals->may_be_answered - before;
    }
}

static void count_end(struct totals *totals, const struct scenario_stream *stream,
                      const struct tcp_connection *connection)
{
    if (!connection->was_watched)
        totals->refused++;
    else if (connection->watch_failed)
        totals->failed++;
    else if (is_unsure(connection))
        totals->unsure++;
    else if (connection->was_ended &&
             connection->marks[connection->marks_read - 1].kind == FRAME_OTHER_TYPE)
        totals->other_content++;
    else if (connection->was_ended)
        totals->bad_frame++;
    else if (connection->told_reset || connection->told_broken)
        totals->reset++;
    else if (connection->told_end && is_cut(connection))
        totals->cut++;
    else if (connection->told_end)
        totals->closed++;
    else if (connection->told_closed)
        totals->reset++;
    else
        count_own_end(totals, stream, connection);
}

static struct totals count_all(const struct scenario_stream *stream, uint16_t port)
{
    struct totals totals = {0};
    for (size_t i = 0; i < tcp_connection_count(); i++) {
        const struct tcp_connection *connection = tcp_connection_at(i);
        if (connection->port->number != port || !connection->accepted)
            continue;
        if (!connection->closed)
            world_fail("a connection to port %u is open after the stop", port);
        totals.connections++;
        count_answers(&totals, connection);
        if (!connection->is_answered) /* records on answered connections have no sequence numbers */
            count_lost(&totals, connection);
        count_end(&totals, stream, connection);
    }
    return totals;
}

static void between(const char *what, uint64_t is, uint64_t least, uint64_t most)
{
    if (is < least || is > most)
        world_fail("%s: %" PRIu64 ", at least %" PRIu64 " and at most %" PRIu64, what, is, least,
                   most);
}

static void within(const char *what, uint64_t is, uint64_t missing, uint64_t most)
{
    between(what, is, most < missing ? 0 : most - missing, most);
}

static uint64_t check_frames(json_t *listener, const struct totals *totals)
{
    const json_t *reasons = json_object_get(listener, "reasons");
    uint64_t received = ledger_number(listener, "received");
    uint64_t decoded = ledger_number(listener, "decoded");
    uint64_t malformed = ledger_number(reasons, "malformed");
    uint64_t no_buffer = history->stopped_in_time ? 0 : ledger_number(reasons, "no_buffer");
    ledger_expect("frames received", received, decoded + ledger_sum(listener, "reasons"));
    uint64_t all = totals->good + totals->bad + totals->empty + totals->control + totals->too_long +
                   totals->no_kind;
    uint64_t unsure = totals->unsure_frames;
    within("frames handed over", received, unsure, all);
    within("frames decoded", decoded, no_buffer + unsure, totals->good);
    within("frames malformed", malformed, no_buffer + unsure, totals->bad + totals->no_kind);
    within("frames too long", ledger_number(reasons, "too_large"), unsure, totals->too_long);
    ledger_expect("control frames", ledger_number(reasons, "control"), totals->control);
    if (no_buffer == 0)
        ledger_expect("empty frames", ledger_number(reasons, "empty"), totals->empty);
    return decoded;
}

static void check_senders(const json_t *listener, const struct totals *totals)
{
    ledger_expect("senders over streams", ledger_number(listener, "senders"), totals->senders);
    ledger_expect("lost in streams", ledger_number(listener, "lost"), totals->lost);
    ledger_expect("duplicated in streams", ledger_number(listener, "duplicated"), 0);
    ledger_expect("reordered in streams", ledger_number(listener, "reordered"), 0);
    ledger_expect("late in streams", ledger_number(listener, "late"), 0);
    ledger_expect("restarted in streams", ledger_number(listener, "restarted"), 0);
}

static uint64_t sum_of_ends(const json_t *listener)
{
    static const char *const ends[] = {
        "closed",       "frame_cut",  "reset",  "idle",       "frame_timeout",      "bad_frame",
        "content_type", "tls_failed", "denied", "over_limit", "over_address_limit", "unwatched",
        "stopped"};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sum += ledger_number(listener, ends[i]);
    return sum;
}

static void check_given_ends(const json_t *listener, const struct totals *totals)
{
    uint64_t unsure = totals->unsure;
    uint64_t refused =
        ledger_number(listener, "over_limit") + ledger_number(listener, "over_address_limit");
    ledger_expect("connections", ledger_number(listener, "connections"), totals->connections);
    ledger_expect("connections that ended", sum_of_ends(listener), totals->connections);
    ledger_expect("refused", refused, totals->refused);
    ledger_expect("not watched", ledger_number(listener, "unwatched"), totals->failed);
    ledger_expect("closed by clients", ledger_number(listener, "closed"), totals->closed);
    within("ended by a bad frame", ledger_number(listener, "bad_frame"), unsure,
           totals->bad_frame + unsure);
    within("of another content type", ledger_number(listener, "content_type"), unsure,
           totals->other_content + unsure);
    within("reset by clients", ledger_number(listener, "reset"), unsure, totals->reset + unsure);
}

static void check_own_ends(const json_t *listener, const struct totals *totals)
{
    uint64_t unsure = totals->unsure;
    between("cut", ledger_number(listener, "frame_cut"), totals->cut,
            totals->cut + totals->within - totals->late_within + unsure);
    between("stopped", ledger_number(listener, "stopped"), 0,
            totals->between - totals->late_between + unsure);
    between("too slow", ledger_number(listener, "frame_timeout"), 0, totals->within + unsure);
    between("idle", ledger_number(listener, "idle"), totals->late_between,
            totals->may_be_idle + unsure);
    ledger_expect("closed as too late, and it was not read", totals->starved, 0);
}

static void check_limits(const struct scenario_stream *stream, const json_t *listener,
                         const struct tcp_port *port)
{
    if (port->most_watched > stream->most_connections)
        world_fail("%u connections are open, at most %u may be", port->most_watched,
                   stream->most_connections);
    if (port->most_open + CLOSING_MOST <= stream->least_connections)
        ledger_expect("over the limit", ledger_number(listener, "over_limit"), 0);
    if (port->most_open + CLOSING_MOST <= stream->least_of_address)
        ledger_expect("over the limit of an address", ledger_number(listener, "over_address_limit"),
                      0);
}

static uint64_t check_stream(const struct scenario_stream *stream, json_t *listener, uint16_t port)
{
    struct totals totals = count_all(stream, port);
    uint64_t decoded = check_frames(listener, &totals);
    if (decoded == totals.good || stream->is_answered)
        check_senders(listener, &totals);
    check_given_ends(listener, &totals);
    check_own_ends(listener, &totals);
    check_limits(stream, listener, tcp_port(port));
    ledger_expect("not accepted", ledger_number(listener, "accept_errors"),
                  tcp_port(port)->accept_failures);
    between("answers", ledger_number(listener, "answers"), totals.answered, totals.may_be_answered);
    return decoded;
}

uint64_t check_tcp(const struct scenario *scenario, json_t *ledger)
{
    uint64_t decoded = 0;
    for (unsigned i = 0; i < HISTORY_STREAMS && configuration_tcp_is_there(scenario); i++) {
        const struct scenario_stream *stream = &scenario->streams[i];
        uint16_t port = (uint16_t)(TCP_PORT + i);
        json_t *listener = ledger_listener(ledger, stream->name);
        if (listener != NULL)
            decoded += check_stream(stream, listener, port);
        else if (tcp_port(port)->generation != 0 && history_is_settled())
            world_fail("the ledger has no listener \"%s\"", stream->name);
        if (listener != NULL && history_is_settled() &&
            json_is_true(json_object_get(listener, "retired")) == stream->is_there)
            world_fail("%s is retired, or is not", stream->name);
    }
    return decoded;
}
