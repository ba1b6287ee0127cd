#include "collector/receive/stream_connection.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/framing/stream_frame.h"
#include "collector/receive/stream_answers.h"
#include "collector/receive/stream_intake.h"
#include "collector/receive/stream_pending.h"
#include "collector/receive/stream_times.h"

/* The upper limit of receives for a connection before the next one is served. */
#define MOST_RECEIVES 4

size_t stream_block_size(size_t max_frame)
{
    size_t size = max_frame + STREAM_FRAME_HEADER_MOST;
    return size < STREAM_READ_SIZE ? STREAM_READ_SIZE : size;
}

bool stream_connection_begin(struct stream_connection *connection, wait_handle socket,
                             const struct address *peer, struct stream_share *share, int64_t now_ns,
                             const struct stream_settings *settings)
{
    RULE(settings->kind.ops != NULL, "a listener has a kind of channel");
    connection->channel = (struct stream_channel){.ops = settings->kind.ops, .socket = socket};
    if (!connection->channel.ops->begin(&connection->channel, settings->kind.context, share))
        return false;
    connection->peer = *peer;
    connection->share = share;
    connection->active_ns = now_ns;
    connection->begun_ns = connection->channel.opening ? now_ns : 0;
    connection->due_ns =
        now_ns + (connection->channel.opening ? settings->frame_ns : settings->idle_ns);
    connection->pressure_ns = INT64_MAX;
    connection->next = STREAM_READ;
    connection->draining = false;
    connection->patient = false;
    connection->max_frame = settings->max_frame;
    connection->ending = false;
    connection->discarding = false;
    connection->peer_gone = false;
    connection->reset = false;
    connection->progressed = false;
    connection->spurious = 0;
    connection->streams = FRAME_STREAMS_BEGUN;
    connection->block = NULL;
    connection->waits_for_block = false;
    connection->at = connection->used = 0;
    connection->answers_at = connection->answers_used = 0;
    return true;
}

/* --- receiving -------------------------------------------------------------------------------- */

static enum channel_result receive_bytes(struct stream_connection *connection, void *to,
                                         size_t size, size_t *received)
{
    enum channel_result result =
        connection->channel.ops->receive(&connection->channel, to, size, received);
    RULE(result != CHANNEL_OK || (*received != 0 && *received <= size),
         "a channel receives some bytes, and not more than there is room for");
    connection->progressed = connection->progressed || result == CHANNEL_OK;
    return result;
}

static size_t take_pending(struct stream_connection *connection,
                           const struct stream_settings *settings, struct stream_worker *worker)
{
    size_t used;
    size_t frames = stream_intake(connection, settings, worker,
                                  stream_pending_data(connection) + connection->at,
                                  stream_pending_size(connection), &used);
    RULE(used <= stream_pending_size(connection), "only pending bytes are handled");
    connection->at += used;
    if (connection->at == connection->used)
        stream_pending_clear(connection, settings);
    return frames;
}

/* Handles the result of a receive. Returns true if the receive found bytes. */
static bool handle_result(struct stream_connection *connection, enum channel_result result)
{
    bool cut = stream_pending_size(connection) != 0;
    switch (result) {
    case CHANNEL_OK:
        return true;
    case CHANNEL_WANTS_IN:
    case CHANNEL_WANTS_OUT:
        if (connection->peer_gone) /* read again at once, because an event may never report the
                                    * end */
            stream_connection_end_by(connection, STREAM_RESET);
        else if (connection->draining && !(cut && connection->patient))
            stream_connection_end_by(connection, cut ? STREAM_FRAME_CUT : STREAM_STOPPED);
        else if (result == CHANNEL_WANTS_OUT)
            connection->next = STREAM_WRITE;
        break;
    case CHANNEL_END:
        if (connection->reset)
            stream_connection_end_by(connection, STREAM_RESET);
        else
            stream_connection_end_by(connection, cut ? STREAM_FRAME_CUT : STREAM_CLOSED);
        break;
    case CHANNEL_BROKEN:
        stream_connection_end_by(connection, STREAM_RESET);
        break;
    case CHANNEL_FAILED:
        stream_connection_end_by(connection, STREAM_CHANNEL_FAILED);
        break;
    }
    return false;
}

/*
 * Receives more of the pending frame, and handles it if it is complete. Returns true if bytes were
 * received.
 */
static bool receive_rest(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         size_t *frames)
{
    size_t room, received;
    if (!stream_pending_make_room(connection, settings, &room)) {
        connection->next = STREAM_PAUSE;
        return false;
    }
    enum channel_result result = receive_bytes(
        connection, stream_pending_data(connection) + connection->used, room, &received);
    connection->used += received;
    worker->received += received;
    if (!handle_result(connection, result))
        return false;
    *frames += take_pending(connection, settings, worker);
    return true;
}

/*
 * Receives the next frames. First tries to get a block, because the last of these frames may be
 * incomplete. Without a block, receives no more than fits `small`. Returns true if there may be
 * more input.
 */
static bool receive_new(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker,
                        size_t *frames)
{
    size_t received, used;
    uint8_t *block = stream_blocks_try(settings->blocks, connection->share);
    size_t most = block != NULL ? STREAM_READ_SIZE : STREAM_SMALL_SIZE;
    connection->max_frame = settings->max_frame;
    bool found =
        handle_result(connection, receive_bytes(connection, worker->read, most, &received));
    worker->received += received;
    if (found) {
        *frames += stream_intake(connection, settings, worker, worker->read, received, &used);
        if (used != received)
            stream_pending_keep(connection, &block, worker->read + used, received - used);
    }
    stream_blocks_release(settings->blocks, connection->share, block);
    return found && (received == most || used != received);
}

static void discard(struct stream_connection *connection, struct stream_worker *worker,
                    int64_t now_ns)
{
    size_t received;
    enum channel_result result =
        receive_bytes(connection, worker->read, STREAM_READ_SIZE, &received);
    bool open = result == CHANNEL_OK || result == CHANNEL_WANTS_IN;
    connection->next = open && now_ns < connection->due_ns ? STREAM_READ : STREAM_CLOSE;
}

static size_t read_frames(struct stream_connection *connection,
                          const struct stream_settings *settings, struct stream_worker *worker,
                          bool room, int64_t now_ns)
{
    size_t frames = 0;
    bool more = true;
    if (connection->discarding) {
        discard(connection, worker, now_ns);
        return 0;
    }
    if (connection->ending || connection->answers_used != 0)
        return 0;                           /* the answers must be sent first */
    if (connection->next == STREAM_PAUSE) { /* the time during the pause does not count against the
                                             * peer */
        connection->active_ns = now_ns;
        connection->begun_ns = connection->begun_ns == 0 ? 0 : now_ns;
    }
    connection->next = room ? STREAM_READ : STREAM_PAUSE;
    if (!room)
        return 0;
    if (stream_pending_size(connection) != 0) {
        frames = take_pending(connection, settings, worker);
        if (frames != 0)
            stream_times_note(connection, frames, now_ns);
    }
    for (int i = 0; i < MOST_RECEIVES && more && connection->next == STREAM_READ; i++) {
        size_t before = frames;
        size_t size = stream_pending_size(connection);
        bool opening = connection->channel.opening;
        more = size != 0 ? receive_rest(connection, settings, worker, &frames)
                         : receive_new(connection, settings, worker, &frames);
        if (more || stream_pending_size(connection) != size || frames != before ||
            connection->channel.opening != opening)
            stream_times_note(connection, frames - before, now_ns);
    }
    worker->is_awaited = worker->is_awaited || more;
    /*
     * Deadlines are checked after reading, because input that arrived in time may have waited until
     * now for the sinks or for this thread.
     */
    if (connection->next == STREAM_READ && connection->channel.holds)
        connection->next = STREAM_AGAIN;
    else if (connection->next == STREAM_READ || connection->next == STREAM_WRITE)
        stream_times_check(connection, settings, now_ns);
    return frames;
}

size_t stream_connection_read(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_worker *worker,
                              bool room, int64_t now_ns)
{
    size_t frames = read_frames(connection, settings, worker, room, now_ns);
    if (connection->answers_used != 0 || connection->channel.opening ||
        connection->next != STREAM_READ)
        worker->is_awaited = true;
    return frames;
}

/* --- answering -------------------------------------------------------------------------------- */

/* Returns true if an answer or the channel has told the peer the reason. */
static bool says_why(const struct stream_connection *connection)
{
    return connection->end == STREAM_BAD_FRAME || connection->end == STREAM_CHANNEL_FAILED;
}

static enum stream_next answer_and_go_on(struct stream_connection *connection,
                                         const struct stream_settings *settings, int64_t now_ns)
{
    enum stream_next wants;
    if (!stream_answers_send(connection, &wants, now_ns)) {
        connection->due_ns = connection->active_ns + settings->idle_ns;
        connection->pressure_ns = stream_times_pressure_ns(connection);
        if (now_ns < connection->due_ns &&
            !stream_times_hold_up_others(connection, settings, now_ns))
            return wants;
        stream_answers_drop(connection);
        if (!connection->ending)
            stream_connection_end_by(connection, STREAM_IDLE);
    }
    if (connection->ending && says_why(connection) && !connection->peer_gone &&
        !connection->discarding && !connection->draining) {
        connection->channel.ops->finish(&connection->channel);
        connection->discarding = true;
        connection->due_ns = now_ns + STREAM_LINGER_NS;
        connection->next = STREAM_READ;
    }
    if (connection->ending && !connection->discarding)
        return STREAM_CLOSE;
    if (connection->next == STREAM_PAUSE) {
        connection->due_ns = INT64_MAX;
        connection->pressure_ns = INT64_MAX;
        return STREAM_PAUSE;
    }
    connection->due_ns = stream_times_due_ns(connection, settings);
    connection->pressure_ns = stream_times_pressure_ns(connection);
    return connection->next;
}

enum stream_next stream_connection_answer(struct stream_connection *connection,
                                          const struct stream_settings *settings, int64_t now_ns)
{
    enum stream_next next = answer_and_go_on(connection, settings, now_ns);
    bool armed = next == STREAM_READ || next == STREAM_WRITE;
    return armed && stream_times_is_spurious(connection, now_ns) ? STREAM_BACK_OFF : next;
}

void stream_connection_follow(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_blocks *before)
{
    uint8_t *block = connection->block;
    /* A connection that still needs a block will request one of the new blocks. */
    if (settings->blocks != before)
        stream_blocks_stop_waiting(before, connection->share, &connection->waits_for_block);
    if (block != NULL && settings->blocks != before) {
        connection->block = stream_blocks_move(settings->blocks, connection->share);
        RULE(connection->block != NULL, "the new blocks have the same number");
        memcpy(connection->block, block + connection->at, stream_pending_size(connection));
        connection->used = stream_pending_size(connection);
        connection->at = 0;
        stream_blocks_release(before, connection->share, block);
    }
    if (connection->due_ns == INT64_MAX || connection->discarding)
        return;
    connection->due_ns = connection->answers_used != 0 ? connection->active_ns + settings->idle_ns
                                                       : stream_times_due_ns(connection, settings);
}

void stream_connection_set_share(struct stream_connection *connection,
                                 const struct stream_settings *settings, struct stream_share *share)
{
    stream_blocks_transfer(settings->blocks, connection->share, share, connection->block != NULL,
                           connection->waits_for_block);
    connection->share = share;
}

bool stream_connection_awaits_remainder(const struct stream_connection *connection)
{
    return connection->draining && connection->patient && connection->next == STREAM_READ &&
           stream_pending_size(connection) != 0;
}

void stream_connection_give_up(struct stream_connection *connection)
{
    stream_answers_drop(connection);
    connection->discarding = false;
    if (connection->ending)
        connection->next = STREAM_CLOSE;
    else
        stream_connection_end_by(connection, stream_pending_size(connection) != 0 ? STREAM_FRAME_CUT
                                                                                  : STREAM_STOPPED);
}

void stream_connection_fail(struct stream_connection *connection)
{
    stream_answers_drop(connection);
    connection->discarding = false;
    stream_connection_end_by(connection, STREAM_UNWATCHED);
}

void stream_connection_end(struct stream_connection *connection,
                           const struct stream_settings *settings)
{
    connection->channel.ops->close(&connection->channel);
    stream_pending_clear(connection, settings);
}
