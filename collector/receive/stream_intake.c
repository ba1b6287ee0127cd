#include "collector/receive/stream_intake.h"

#include "collector/base/rule.h"
#include "collector/framing/stream_frame.h"
#include "collector/platform/clock.h"
#include "collector/receive/stream_answers.h"

static struct datagram_slot frame_slot(const struct stream_connection *connection,
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

/* Refuses a frame and ends the connection, because the beginning of the next frame is not known. */
static void refuse_frame(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         const uint8_t *data, size_t size, enum datagram_reason reason)
{
    const struct datagram_slot slot = frame_slot(connection, settings, data, size);
    const struct ingest_verdict verdict = {.refused = reason};
    ingest_refuse_frame(worker->ingest, &slot, reason);
    stream_answers_add(connection, settings, worker, &verdict);
    stream_connection_end_by(connection, STREAM_BAD_FRAME);
}

/* Handles a control frame. Returns false if it ends the connection. */
static bool take_control(struct stream_connection *connection,
                         const struct stream_settings *settings, struct stream_worker *worker,
                         const uint8_t *data, size_t size)
{
    struct frame_streams_answer answer;
    const struct datagram_slot slot = frame_slot(connection, settings, data, size);
    enum frame_streams_result result =
        frame_streams_control(&connection->streams, &settings->content_type, data, size, &answer);
    if (result == FRAME_STREAMS_MALFORMED) {
        refuse_frame(connection, settings, worker, data, size, REASON_MALFORMED);
        return false;
    }
    ingest_refuse_frame(worker->ingest, &slot, REASON_CONTROL);
    if (result == FRAME_STREAMS_OTHER_TYPE) {
        stream_connection_end_by(connection, STREAM_CONTENT_TYPE);
        return false;
    }
    stream_answers_add_control(connection, worker, &answer);
    return true;
}

/*
 * Returns true if a message is allowed now. In frame streams that is only between START and
 * STOP.
 */
static bool may_come(const struct stream_connection *connection,
                     const struct stream_settings *settings)
{
    return settings->framing != FRAMING_FRAME_STREAMS ||
           frame_streams_is_started(connection->streams);
}

/* Handles a frame. Returns false if it ends the connection. */
static bool take_frame(struct stream_connection *connection, const struct stream_settings *settings,
                       struct stream_worker *worker, const uint8_t *data, size_t size)
{
    if (stream_frame_is_control(settings->framing, data))
        return take_control(connection, settings, worker, data, size);
    if (!may_come(connection, settings)) {
        refuse_frame(connection, settings, worker, data, size, REASON_MALFORMED);
        return false;
    }
    const struct datagram_slot slot = frame_slot(connection, settings, data, size);
    const struct ingest_verdict verdict = ingest_take(worker->ingest, &slot);
    stream_answers_add(connection, settings, worker, &verdict);
    return true;
}

size_t stream_intake(struct stream_connection *connection, const struct stream_settings *settings,
                     struct stream_worker *worker, const uint8_t *data, size_t size, size_t *used)
{
    size_t frames = 0;
    *used = 0;
    while (stream_answers_have_room(connection, settings)) {
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
        RULE(whole != 0, "a frame has bytes");
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
