#include "collector/receive/stream_connection.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"
#include "collector/base/wire.h"
#include "collector/framing/stream_frame.h"
#include "collector/platform/clock.h"

/* Bytes of an answer with the length before it. */
#define ANSWER_MOST (SCHEMA_ANSWER_MOST + 4)

/* Receives of one connection before the next one has its turn. */
#define MOST_RECEIVES 4

/*
 * A connection that is served so often in a row, in that time, and has nothing come or go, is left
 * alone for a while each time: the system says that it is ready, and then that it is not, as where
 * memory for sockets is short.
 */
#define VAIN_MOST 100
#define VAIN_NS   INT64_C(100000000)

size_t stream_block_size(size_t max_frame)
{
    size_t size = max_frame + STREAM_FRAME_HEADER_MOST;
    return size < STREAM_READ_SIZE ? STREAM_READ_SIZE : size;
}

bool stream_connection_begin(struct stream_connection *connection, wait_handle socket,
                             const struct address *peer, struct stream_share *share, int64_t now_ns,
                             const struct stream_settings *settings)
{
    connection->channel = (struct stream_channel){.ops = settings->kind.ops, .socket = socket};
    if (!connection->channel.ops->begin(&connection->channel, settings->kind.context))
        return false;
    connection->peer = *peer;
    connection->share = share;
    connection->active_ns = now_ns;
    connection->begun_ns = connection->channel.opening ? now_ns : 0;
    connection->due_ns =
        now_ns + (connection->channel.opening ? settings->frame_ns : settings->idle_ns);
    connection->hurry_ns = INT64_MAX;
    connection->next = STREAM_READ;
    connection->draining = false;
    connection->patient = false;
    connection->max_frame = settings->max_frame;
    connection->ending = false;
    connection->discarding = false;
    connection->deaf = false;
    connection->reset = false;
    connection->moved = false;
    connection->vain = 0;
    connection->streams = FRAME_STREAMS_BEGUN;
    connection->block = NULL;
    connection->waits_for_block = false;
    connection->at = connection->used = 0;
    connection->answers_at = connection->answers_used = 0;
    return true;
}

static enum channel_result receive(struct stream_connection *connection, void *to, size_t size,
                                   size_t *received)
{
    enum channel_result result =
        connection->channel.ops->receive(&connection->channel, to, size, received);
    connection->moved = connection->moved || result == CHANNEL_OK;
    return result;
}

static void end_by(struct stream_connection *connection, enum stream_end end)
{
    connection->ending = true;
    connection->end = end;
    connection->next = STREAM_CLOSE;
}

/* --- answers ---------------------------------------------------------------------------------- */

static size_t put_length(enum framing framing, uint8_t *to, size_t length)
{
    if (framing == FRAMING_LENGTH16) {
        put_network_u16(to, (unsigned)length);
        return 2;
    }
    if (framing == FRAMING_LENGTH32) {
        put_network_u32(to, (uint32_t)length);
        return 4;
    }
    to[0] = (uint8_t)(length & 0x7f);
    if (length < 0x80)
        return 1;
    to[0] |= 0x80;
    to[1] = (uint8_t)(length >> 7);
    return 2;
}

static void answer(struct stream_connection *connection, const struct stream_settings *settings,
                   struct stream_worker *worker, const struct ingest_verdict *verdict)
{
    const struct schema_ops *ops =
        verdict->schema != NULL ? verdict->schema : settings->answering;
    if (ops == NULL || ops->answer == NULL || connection->deaf ||
        settings->framing == FRAMING_FRAME_STREAMS) /* where control frames alone are answered */
        return;
    uint8_t message[SCHEMA_ANSWER_MOST];
    size_t size = ops->answer(verdict->message, datagram_reason_names[verdict->refused], message);
    uint8_t *to = connection->answers + connection->answers_used;
    size_t header = put_length(settings->framing, to, size);
    memcpy(to + header, message, size);
    connection->answers_used += header + size;
    counter_add(&worker->counters->answers, 1);
}

static bool has_room_for_answer(const struct stream_connection *connection,
                                const struct stream_settings *settings)
{
    size_t most =
        settings->framing == FRAMING_FRAME_STREAMS ? FRAME_STREAMS_ANSWER_MOST : ANSWER_MOST;
    return STREAM_ANSWERS_SIZE - connection->answers_used >= most;
}

/* --- frames ----------------------------------------------------------------------------------- */

static struct datagram_slot describe(const struct stream_connection *connection,
                                     const struct stream_settings *settings, const uint8_t *data,
                                     size_t size)
{
    return (struct datagram_slot){
        .front = data,
        .rest = size > DATAGRAM_FRONT_SIZE ? data + DATAGRAM_FRONT_SIZE : NULL,
        .size = (uint32_t)size,
        .sent_size = (uint32_t)size,
        .source = connection->peer,
        .destination = connection->own,
        .received_ns = settings->arrival_ns != 0 ? settings->arrival_ns : clock_wall_ns(),
    };
}

/* The connection cannot be read on: where its next frame begins is not known. */
static void refuse_frame(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         const uint8_t *data, size_t size, enum datagram_reason reason)
{
    const struct datagram_slot slot = describe(connection, settings, data, size);
    const struct ingest_verdict verdict = {.refused = reason};
    ingest_refuse_frame(worker->ingest, &slot, reason);
    answer(connection, settings, worker, &verdict);
    end_by(connection, STREAM_BAD_FRAME);
}

/* Returns false where the connection ends with it. */
static bool take_control(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         const uint8_t *data, size_t size)
{
    struct frame_streams_answer answer;
    const struct datagram_slot slot = describe(connection, settings, data, size);
    enum frame_streams_result result =
        frame_streams_control(&connection->streams, &settings->content_type, data, size, &answer);
    if (result == FRAME_STREAMS_MALFORMED) {
        refuse_frame(connection, settings, worker, data, size, REASON_MALFORMED);
        return false;
    }
    ingest_refuse_frame(worker->ingest, &slot, REASON_CONTROL);
    if (result == FRAME_STREAMS_OTHER_TYPE) {
        end_by(connection, STREAM_CONTENT_TYPE);
        return false;
    }
    if (answer.size == 0 || connection->deaf)
        return true;
    memcpy(connection->answers + connection->answers_used, answer.bytes, answer.size);
    connection->answers_used += answer.size;
    counter_add(&worker->counters->answers, 1);
    return true;
}

/* Of frame streams: whether messages may come now. */
static bool may_come(const struct stream_connection *connection,
                     const struct stream_settings *settings)
{
    return settings->framing != FRAMING_FRAME_STREAMS ||
           frame_streams_is_started(connection->streams);
}

/* Takes a frame that is whole. Returns false where the connection ends with it. */
static bool take_frame(struct stream_connection *connection, const struct stream_settings *settings,
                       struct stream_worker *worker, const uint8_t *data, size_t size)
{
    if (stream_frame_is_control(settings->framing, data))
        return take_control(connection, settings, worker, data, size);
    if (!may_come(connection, settings)) {
        refuse_frame(connection, settings, worker, data, size, REASON_MALFORMED);
        return false;
    }
    const struct datagram_slot slot = describe(connection, settings, data, size);
    const struct ingest_verdict verdict = ingest_take(worker->ingest, &slot);
    answer(connection, settings, worker, &verdict);
    return true;
}

/* Takes the frames of `size` bytes that are whole; *used bytes were. Returns how many. */
static size_t take_frames(struct stream_connection *connection,
                          const struct stream_settings *settings, struct stream_worker *worker,
                          const uint8_t *data, size_t size, size_t *used)
{
    size_t frames = 0;
    *used = 0;
    while (has_room_for_answer(connection, settings)) {
        const uint8_t *frame = data + *used;
        size_t left = size - *used;
        size_t whole = 0;
        switch (stream_frame_look(settings->framing, frame, left, connection->max_frame, &whole)) {
        case STREAM_FRAME_KNOWN:
            break;
        case STREAM_FRAME_MORE:
            return frames;
        case STREAM_FRAME_TOO_LARGE:
            refuse_frame(connection, settings, worker, frame, left, REASON_TOO_LARGE);
            *used = size;
            return frames + 1;
        case STREAM_FRAME_MALFORMED:
            refuse_frame(connection, settings, worker, frame, left, REASON_MALFORMED);
            *used = size;
            return frames + 1;
        }
        if (whole > left)
            return frames;
        frames++;
        if (!take_frame(connection, settings, worker, frame, whole)) {
            *used = size;
            return frames;
        }
        *used += whole;
        connection->max_frame = settings->max_frame;
    }
    connection->next = STREAM_AGAIN;
    return frames;
}

/* --- what is held ----------------------------------------------------------------------------- */

static uint8_t *held(struct stream_connection *connection)
{
    return connection->block != NULL ? connection->block : connection->small;
}

static size_t held_size(const struct stream_connection *connection)
{
    return connection->used - connection->at;
}

/* Nothing is held any more. */
static void forget(struct stream_connection *connection, const struct stream_settings *settings)
{
    stream_blocks_give(settings->blocks, connection->share, connection->block);
    stream_blocks_stop_waiting(settings->blocks, connection->share, &connection->waits_for_block);
    connection->block = NULL;
    connection->at = connection->used = 0;
}

/* The rest of a read, which fits: it is small, or there is a block, which it takes then. */
static void hold(struct stream_connection *connection, uint8_t **block, const uint8_t *data,
                 size_t size)
{
    if (size > STREAM_SMALL_SIZE) {
        connection->block = *block;
        *block = NULL;
    }
    memcpy(held(connection), data, size);
    connection->at = 0;
    connection->used = size;
}

static size_t take_held(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker)
{
    size_t used;
    size_t frames = take_frames(connection, settings, worker, held(connection) + connection->at,
                                held_size(connection), &used);
    connection->at += used;
    if (connection->at == connection->used)
        forget(connection, settings);
    return frames;
}

/*
 * Makes room behind what is held for the rest of its frame; *room bytes of it, at most what is
 * missing. Returns false where that takes a block, and none is free.
 */
static bool make_room(struct stream_connection *connection, const struct stream_settings *settings,
                      size_t *room)
{
    size_t whole;
    size_t size = held_size(connection);
    uint8_t *from = held(connection) + connection->at;
    bool known = stream_frame_look(settings->framing, from, size, connection->max_frame, &whole) ==
                 STREAM_FRAME_KNOWN;
    if (!known)
        whole = size + 1; /* of a length, which is short: byte by byte it is found once */
    if (connection->block == NULL && whole > STREAM_SMALL_SIZE) {
        uint8_t *block =
            stream_blocks_take(settings->blocks, connection->share, &connection->waits_for_block);
        if (block == NULL)
            return false;
        memcpy(block, from, size);
        connection->block = block;
        connection->used = size;
        connection->at = 0;
    } else if (connection->at != 0) {
        memmove(held(connection), from, size);
        connection->used = size;
        connection->at = 0;
    }
    *room = whole - size;
    return true;
}

/* --- receiving -------------------------------------------------------------------------------- */

/* Nothing more came. Returns whether a receive found something. */
static bool judge(struct stream_connection *connection, enum channel_result result)
{
    bool cut = held_size(connection) != 0;
    switch (result) {
    case CHANNEL_OK:
        return true;
    case CHANNEL_WANTS_IN:
    case CHANNEL_WANTS_OUT:
        if (connection->deaf) /* it is gone, and no end of it will come */
            end_by(connection, STREAM_RESET);
        else if (connection->draining && !(cut && connection->patient))
            end_by(connection, cut ? STREAM_FRAME_CUT : STREAM_STOPPED);
        else if (result == CHANNEL_WANTS_OUT)
            connection->next = STREAM_WRITE;
        break;
    case CHANNEL_END:
        if (connection->reset)
            end_by(connection, STREAM_RESET);
        else
            end_by(connection, cut ? STREAM_FRAME_CUT : STREAM_CLOSED);
        break;
    case CHANNEL_BROKEN:
        end_by(connection, STREAM_RESET);
        break;
    case CHANNEL_FAILED:
        end_by(connection, STREAM_CHANNEL_FAILED);
        break;
    }
    return false;
}

/* The rest of the frame that is held. Returns as above. */
static bool receive_rest(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         size_t *frames)
{
    size_t room, received;
    if (!make_room(connection, settings, &room)) {
        connection->next = STREAM_HOLD;
        return false;
    }
    enum channel_result result =
        receive(connection, held(connection) + connection->used, room, &received);
    connection->used += received;
    worker->received += received;
    if (!judge(connection, result))
        return false;
    *frames += take_held(connection, settings, worker);
    return true;
}

/*
 * What follows a whole frame, with a block at hand for the rest of it; without one, as much as
 * needs none. Returns as above.
 */
static bool receive_new(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker,
                        size_t *frames)
{
    size_t received, used;
    uint8_t *block = stream_blocks_try(settings->blocks, connection->share);
    size_t most = block != NULL ? STREAM_READ_SIZE : STREAM_SMALL_SIZE;
    connection->max_frame = settings->max_frame;
    bool found = judge(connection, receive(connection, worker->read, most, &received));
    worker->received += received;
    if (found) {
        *frames += take_frames(connection, settings, worker, worker->read, received, &used);
        if (used != received)
            hold(connection, &block, worker->read + used, received - used);
    }
    stream_blocks_give(settings->blocks, connection->share, block);
    return found && (received == most || used != received);
}

static void discard(struct stream_connection *connection, struct stream_worker *worker,
                    int64_t now_ns)
{
    size_t received;
    enum channel_result result = receive(connection, worker->read, STREAM_READ_SIZE, &received);
    bool open = result == CHANNEL_OK || result == CHANNEL_WANTS_IN;
    connection->next = open && now_ns < connection->due_ns ? STREAM_READ : STREAM_CLOSE;
}

/* Since when the frame that is held is not whole, where there is one. */
static void note_time(struct stream_connection *connection, size_t frames, int64_t now_ns)
{
    connection->active_ns = now_ns;
    if (connection->channel.opening)
        return; /* to open it has the time of a frame, from the beginning */
    if (held_size(connection) == 0)
        connection->begun_ns = 0;
    else if (frames != 0 || connection->begun_ns == 0)
        connection->begun_ns = now_ns;
}

/* When others may want its block: one that is slow is not to cost them more than that. */
static int64_t hurry_ns(const struct stream_connection *connection)
{
    bool has_block = connection->block != NULL && connection->begun_ns != 0;
    return has_block ? connection->begun_ns + STREAM_HURRY_NS : INT64_MAX;
}

static bool holds_up_others(const struct stream_connection *connection,
                            const struct stream_settings *settings, int64_t now_ns)
{
    int64_t late_ns = hurry_ns(connection);
    if (now_ns < late_ns)
        return false;
    switch (stream_blocks_demand(settings->blocks, connection->share)) {
    case STREAM_BLOCKS_WANTED_FIRST:
        return true;
    case STREAM_BLOCKS_WANTED:
        late_ns += (int64_t)((uint64_t)held_size(connection) * (uint64_t)STREAM_HURRY_NS /
                             STREAM_HURRY_SIZE);
        return now_ns >= late_ns;
    case STREAM_BLOCKS_ENOUGH:
        break;
    }
    return false;
}

static void judge_time(struct stream_connection *connection, const struct stream_settings *settings,
                       int64_t now_ns)
{
    if ((connection->begun_ns != 0 && now_ns - connection->begun_ns >= settings->frame_ns) ||
        holds_up_others(connection, settings, now_ns))
        end_by(connection, STREAM_FRAME_TIMEOUT);
    else if (now_ns - connection->active_ns >= settings->idle_ns)
        end_by(connection, STREAM_IDLE);
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
        return 0;                          /* answers first */
    if (connection->next == STREAM_HOLD) { /* the time that it was held does not count */
        connection->active_ns = now_ns;
        connection->begun_ns = connection->begun_ns == 0 ? 0 : now_ns;
    }
    connection->next = room ? STREAM_READ : STREAM_HOLD;
    if (!room)
        return 0;
    if (held_size(connection) != 0) {
        frames = take_held(connection, settings, worker);
        if (frames != 0)
            note_time(connection, frames, now_ns);
    }
    for (int i = 0; i < MOST_RECEIVES && more && connection->next == STREAM_READ; i++) {
        size_t before = frames;
        size_t size = held_size(connection);
        bool opening = connection->channel.opening;
        more = size != 0 ? receive_rest(connection, settings, worker, &frames)
                         : receive_new(connection, settings, worker, &frames);
        if (more || held_size(connection) != size || frames != before ||
            connection->channel.opening != opening)
            note_time(connection, frames - before, now_ns);
    }
    worker->is_awaited = worker->is_awaited || more;
    /* Only now: what came in time may have waited for the sinks, and for its turn. */
    if (connection->next == STREAM_READ && connection->channel.holds)
        connection->next = STREAM_AGAIN;
    else if (connection->next == STREAM_READ || connection->next == STREAM_WRITE)
        judge_time(connection, settings, now_ns);
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

static void drop_answers(struct stream_connection *connection)
{
    connection->deaf = true;
    connection->answers_at = connection->answers_used = 0;
}

/* Returns whether all of them are out, or of no use; else *wants is what they wait for. */
static bool send_answers(struct stream_connection *connection, enum stream_next *wants,
                         int64_t now_ns)
{
    struct stream_channel *channel = &connection->channel;
    while (connection->answers_at != connection->answers_used) {
        size_t sent;
        enum channel_result result =
            channel->ops->send(channel, connection->answers + connection->answers_at,
                               connection->answers_used - connection->answers_at, &sent);
        if (result == CHANNEL_WANTS_IN || result == CHANNEL_WANTS_OUT) {
            *wants = result == CHANNEL_WANTS_IN ? STREAM_READ : STREAM_WRITE;
            return false;
        }
        if (result != CHANNEL_OK) { /* what came before that is read to its end all the same */
            drop_answers(connection);
            connection->reset = result != CHANNEL_END;
            if (connection->next == STREAM_READ)
                connection->next = STREAM_AGAIN; /* no event is sure to say so */
            return true;
        }
        connection->moved = true;
        connection->answers_at += sent;
        connection->active_ns = now_ns;
    }
    connection->answers_at = connection->answers_used = 0;
    return true;
}

/* When its time is over, where it waits for the other side. */
static int64_t due_ns(const struct stream_connection *connection,
                      const struct stream_settings *settings)
{
    if (connection->discarding)
        return connection->due_ns;
    if ((connection->next == STREAM_READ || connection->next == STREAM_WRITE) &&
        connection->begun_ns != 0)
        return connection->begun_ns + settings->frame_ns;
    return connection->active_ns + settings->idle_ns;
}

/* Whether the other side was sent why it ended: an answer, or what its channel has for that. */
static bool says_why(const struct stream_connection *connection)
{
    return connection->end == STREAM_BAD_FRAME || connection->end == STREAM_CHANNEL_FAILED;
}

/* Of a connection that is to be armed: whether it has been for nothing too often. */
static bool is_in_vain(struct stream_connection *connection, int64_t now_ns)
{
    bool moved = connection->moved;
    connection->moved = false;
    if (moved || connection->vain == 0)
        connection->vain_ns = now_ns;
    if (moved) {
        connection->vain = 0;
        return false;
    }
    if (connection->vain < VAIN_MOST && ++connection->vain == VAIN_MOST &&
        now_ns - connection->vain_ns > VAIN_NS)
        connection->vain = 0;
    return connection->vain == VAIN_MOST;
}

static enum stream_next answer_and_go_on(struct stream_connection *connection,
                                         const struct stream_settings *settings, int64_t now_ns)
{
    enum stream_next wants;
    if (!send_answers(connection, &wants, now_ns)) {
        connection->due_ns = connection->active_ns + settings->idle_ns;
        connection->hurry_ns = hurry_ns(connection);
        if (now_ns < connection->due_ns && !holds_up_others(connection, settings, now_ns))
            return wants;
        drop_answers(connection);
        if (!connection->ending)
            end_by(connection, STREAM_IDLE);
    }
    if (connection->ending && says_why(connection) && !connection->deaf &&
        !connection->discarding && !connection->draining) {
        connection->channel.ops->finish(&connection->channel);
        connection->discarding = true;
        connection->due_ns = now_ns + STREAM_LINGER_NS;
        connection->next = STREAM_READ;
    }
    if (connection->ending && !connection->discarding)
        return STREAM_CLOSE;
    if (connection->next == STREAM_HOLD) {
        connection->due_ns = INT64_MAX;
        connection->hurry_ns = INT64_MAX;
        return STREAM_HOLD;
    }
    connection->due_ns = due_ns(connection, settings);
    connection->hurry_ns = hurry_ns(connection);
    return connection->next;
}

enum stream_next stream_connection_answer(struct stream_connection *connection,
                                          const struct stream_settings *settings, int64_t now_ns)
{
    enum stream_next next = answer_and_go_on(connection, settings, now_ns);
    bool armed = next == STREAM_READ || next == STREAM_WRITE;
    return armed && is_in_vain(connection, now_ns) ? STREAM_REST : next;
}

void stream_connection_follow(struct stream_connection *connection,
                              const struct stream_settings *settings, struct stream_blocks *before)
{
    uint8_t *block = connection->block;
    if (settings->blocks != before) /* of the new ones it asks for one itself */
        stream_blocks_stop_waiting(before, connection->share, &connection->waits_for_block);
    if (block != NULL && settings->blocks != before) {
        connection->block = stream_blocks_move(settings->blocks, connection->share);
        RULE(connection->block != NULL, "there are as many blocks as before");
        memcpy(connection->block, block + connection->at, held_size(connection));
        connection->used = held_size(connection);
        connection->at = 0;
        stream_blocks_give(before, connection->share, block);
    }
    if (connection->due_ns == INT64_MAX || connection->discarding)
        return;
    connection->due_ns = connection->answers_used != 0 ? connection->active_ns + settings->idle_ns
                                                       : due_ns(connection, settings);
}

void stream_connection_join(struct stream_connection *connection,
                            const struct stream_settings *settings, struct stream_share *share)
{
    stream_blocks_pass(settings->blocks, connection->share, share, connection->block != NULL,
                       connection->waits_for_block);
    connection->share = share;
}

bool stream_connection_waits_for_rest(const struct stream_connection *connection)
{
    return connection->draining && connection->patient && connection->next == STREAM_READ &&
           held_size(connection) != 0;
}

void stream_connection_give_up(struct stream_connection *connection)
{
    drop_answers(connection);
    connection->discarding = false;
    if (connection->ending)
        connection->next = STREAM_CLOSE;
    else
        end_by(connection, held_size(connection) != 0 ? STREAM_FRAME_CUT : STREAM_STOPPED);
}

void stream_connection_fail(struct stream_connection *connection)
{
    drop_answers(connection);
    connection->discarding = false;
    end_by(connection, STREAM_UNWATCHED);
}

void stream_connection_end(struct stream_connection *connection,
                           const struct stream_settings *settings)
{
    connection->channel.ops->close(&connection->channel);
    forget(connection, settings);
}
