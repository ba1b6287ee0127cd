#include "collector/receive/stream_answers.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"

/* The upper limit of an answer in bytes, including its length field. */
#define ANSWER_MOST (SCHEMA_ANSWER_MOST + 4)

static size_t put_answer_length(enum framing framing, uint8_t *to, size_t length)
{
    switch (framing) {
    case FRAMING_LENGTH16:
        put_network_u16(to, (unsigned)length);
        return 2;
    case FRAMING_LENGTH16_LE:
        put_little_u16(to, (unsigned)length);
        return 2;
    case FRAMING_LENGTH32:
        put_network_u32(to, (uint32_t)length);
        return 4;
    case FRAMING_LENGTH32_LE:
        put_little_u32(to, (uint32_t)length);
        return 4;
    default: /* a varint */
        break;
    }
    to[0] = (uint8_t)(length & 0x7f);
    if (length < 0x80)
        return 1;
    to[0] |= 0x80;
    to[1] = (uint8_t)(length >> 7);
    return 2;
}

void stream_answers_add(struct stream_connection *connection,
                        const struct stream_settings *settings, struct stream_worker *worker,
                        const struct ingest_verdict *verdict)
{
    const struct schema_ops *ops = verdict->schema != NULL ? verdict->schema : settings->answering;
    if (ops == NULL || ops->answer == NULL || connection->peer_gone ||
        settings->framing == FRAMING_FRAME_STREAMS) /* frame streams answer only control frames */
        return;
    RULE(stream_answers_have_room(connection, settings),
         "a frame is handled if its answer has room");
    uint8_t message[SCHEMA_ANSWER_MOST];
    size_t size = ops->answer(verdict->message, datagram_reason_names[verdict->refused], message);
    RULE(size <= SCHEMA_ANSWER_MOST, "an answer is not longer than its limit");
    uint8_t *to = connection->answers + connection->answers_used;
    size_t header = put_answer_length(settings->framing, to, size);
    memcpy(to + header, message, size);
    connection->answers_used += header + size;
    counter_add(&worker->counters->answers, 1);
}

void stream_answers_add_control(struct stream_connection *connection, struct stream_worker *worker,
                                const struct frame_streams_answer *answer)
{
    if (answer->size == 0 || connection->peer_gone)
        return;
    RULE(answer->size <= STREAM_ANSWERS_SIZE - connection->answers_used,
         "a control frame is handled if its answer has room");
    memcpy(connection->answers + connection->answers_used, answer->bytes, answer->size);
    connection->answers_used += answer->size;
    counter_add(&worker->counters->answers, 1);
}

bool stream_answers_have_room(const struct stream_connection *connection,
                              const struct stream_settings *settings)
{
    size_t most =
        settings->framing == FRAMING_FRAME_STREAMS ? FRAME_STREAMS_ANSWER_MOST : ANSWER_MOST;
    return STREAM_ANSWERS_SIZE - connection->answers_used >= most;
}

void stream_answers_drop(struct stream_connection *connection)
{
    connection->peer_gone = true;
    connection->answers_at = connection->answers_used = 0;
}

bool stream_answers_send(struct stream_connection *connection, enum stream_next *wants,
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
        if (result != CHANNEL_OK) { /* the connection continues: bytes that arrived earlier must
                                       still be read */
            stream_answers_drop(connection);
            connection->reset = result != CHANNEL_END;
            if (connection->next == STREAM_READ)
                connection->next = STREAM_AGAIN; /* serve it again at once, because an event may
                                                  * never report the end */
            return true;
        }
        RULE(sent != 0 && sent <= connection->answers_used - connection->answers_at,
             "a channel sends some of the bytes that it is given");
        connection->progressed = true;
        connection->answers_at += sent;
        connection->active_ns = now_ns;
    }
    connection->answers_at = connection->answers_used = 0;
    return true;
}
