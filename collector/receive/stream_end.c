#include "collector/receive/stream_end.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/receive/stream_server_parts.h"
#include "collector/receive/stream_slots.h"

static void count_end(struct worker *worker, enum stream_end end)
{
    struct ingest_counters *counters = worker->stream.counters;
    struct counter *const ends[] = {
        [STREAM_CLOSED] = &counters->closed,
        [STREAM_FRAME_CUT] = &counters->frame_cut,
        [STREAM_RESET] = &counters->reset,
        [STREAM_IDLE] = &counters->idle,
        [STREAM_FRAME_TIMEOUT] = &counters->frame_timeout,
        [STREAM_BAD_FRAME] = &counters->bad_frame,
        [STREAM_CONTENT_TYPE] = &counters->content_type,
        [STREAM_CHANNEL_FAILED] = &counters->tls_failed,
        [STREAM_STOPPED] = &counters->stopped,
        [STREAM_UNWATCHED] = &counters->unwatched,
    };
    counter_add(ends[end], 1);
}

void stream_server_log_about(struct worker *worker, struct log_limit *limit,
                             const struct address *peer, const char *what)
{
    char text[ADDRESS_TEXT_SIZE];
    uint64_t suppressed;
    if (!log_allowed(limit, &suppressed))
        return;
    address_format(peer, text);
    log_about(LOG_WARNING, LOG_OF_LISTENER, worker->server->options.listener->name,
              "connection from %s: %s", text, what);
}

static void say_why(struct worker *worker, const struct stream_connection *connection)
{
    static const char *const texts[] = {
        [STREAM_FRAME_CUT] = "ended within a frame, which is lost",
        [STREAM_FRAME_TIMEOUT] = "closed: a frame took longer than frame_timeout=, or was slow "
                                 "while others waited for memory",
        [STREAM_BAD_FRAME] = "closed: the beginning of its next frame is unknown",
        [STREAM_CONTENT_TYPE] = "closed: its messages have another content type",
        [STREAM_UNWATCHED] = "closed: the system cannot watch it",
    };
    char text[CHANNEL_FAILURE_SIZE + sizeof "closed: "] = "closed: ";
    const char *what = texts[connection->end];
    if (connection->end == STREAM_CHANNEL_FAILED) {
        const struct stream_channel *channel = &connection->channel;
        channel->ops->failure(channel, text + strlen(text));
        what = text;
    }
    if (what != NULL)
        stream_server_log_about(worker, &worker->end_logs[connection->end], &connection->peer,
                                what);
}

void stream_server_release(struct worker *worker, struct stream_slot *slot)
{
    struct stream_server *server = worker->server;
    RULE(stream_slot_phase(slot) == SLOT_OWNED, "only its owner ends a connection");
    stream_connection_end(&slot->connection, &server->settings);
    notifier_unwatch(server->notifier, slot->connection.channel.socket, tcp_connection_close);
    stream_slots_release(&server->slots, slot);
}

void stream_server_close_connection(struct worker *worker, struct stream_slot *slot)
{
    RULE(slot->connection.ending, "a connection is closed for a reason");
    count_end(worker, slot->connection.end);
    say_why(worker, &slot->connection);
    stream_server_release(worker, slot);
}
