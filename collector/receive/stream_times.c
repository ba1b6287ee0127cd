#include "collector/receive/stream_times.h"

#include "collector/receive/stream_pending.h"

/*
 * A connection backs off after it was served this many times in a row without progress, within this
 * time (nanoseconds). In this case the system reports it as ready but then refuses to receive or
 * send, for example because memory for sockets is short.
 */
#define SPURIOUS_MOST 100
#define SPURIOUS_NS   INT64_C(100000000)

void stream_times_note(struct stream_connection *connection, size_t frames, int64_t now_ns)
{
    connection->active_ns = now_ns;
    if (connection->channel.opening)
        return; /* a handshake that is not complete keeps the limit of a frame, from its
                 * beginning */
    if (stream_pending_size(connection) == 0)
        connection->begun_ns = 0;
    else if (frames != 0 || connection->begun_ns == 0)
        connection->begun_ns = now_ns;
}

int64_t stream_times_pressure_ns(const struct stream_connection *connection)
{
    bool has_block = connection->block != NULL && connection->begun_ns != 0;
    return has_block ? connection->begun_ns + STREAM_PRESSURE_NS : INT64_MAX;
}

bool stream_times_hold_up_others(const struct stream_connection *connection,
                                 const struct stream_settings *settings, int64_t now_ns)
{
    int64_t late_ns = stream_times_pressure_ns(connection);
    if (now_ns < late_ns)
        return false;
    switch (stream_blocks_demand(settings->blocks, connection->share)) {
    case STREAM_BLOCKS_WANTED_FIRST:
        return true;
    case STREAM_BLOCKS_WANTED:
        late_ns += (int64_t)((uint64_t)stream_pending_size(connection) *
                             (uint64_t)STREAM_PRESSURE_NS / STREAM_PRESSURE_SIZE);
        return now_ns >= late_ns;
    case STREAM_BLOCKS_ENOUGH:
        break;
    }
    return false;
}

void stream_times_check(struct stream_connection *connection,
                        const struct stream_settings *settings, int64_t now_ns)
{
    if ((connection->begun_ns != 0 && now_ns - connection->begun_ns >= settings->frame_ns) ||
        stream_times_hold_up_others(connection, settings, now_ns))
        stream_connection_end_by(connection, STREAM_FRAME_TIMEOUT);
    else if (now_ns - connection->active_ns >= settings->idle_ns)
        stream_connection_end_by(connection, STREAM_IDLE);
}

int64_t stream_times_due_ns(const struct stream_connection *connection,
                            const struct stream_settings *settings)
{
    if (connection->discarding)
        return connection->due_ns;
    if ((connection->next == STREAM_READ || connection->next == STREAM_WRITE) &&
        connection->begun_ns != 0)
        return connection->begun_ns + settings->frame_ns;
    return connection->active_ns + settings->idle_ns;
}

bool stream_times_is_spurious(struct stream_connection *connection, int64_t now_ns)
{
    bool progressed = connection->progressed;
    connection->progressed = false;
    if (progressed || connection->spurious == 0)
        connection->spurious_since_ns = now_ns;
    if (progressed) {
        connection->spurious = 0;
        return false;
    }
    if (connection->spurious < SPURIOUS_MOST && ++connection->spurious == SPURIOUS_MOST &&
        now_ns - connection->spurious_since_ns > SPURIOUS_NS)
        connection->spurious = 0;
    return connection->spurious == SPURIOUS_MOST;
}
