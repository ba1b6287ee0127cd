/*
 * The clients that events are sent to as they happen: a stream of server-sent events each (HTML
 * Living Standard, 9.2), over libmicrohttpd.
 *
 * They are at most EVENT_CLIENTS. An event is one piece of memory for all of them; a client that
 * has not taken the last one yet gets the newest when it has, and none of those between. So nobody
 * waits for a client that does not read, and it holds up to two events and no more; libmicrohttpd
 * gives it up when it has taken nothing for the server's time limit.
 *
 * Lifecycle: create, open for each client and send, close before the server's daemon is stopped,
 * destroy after that. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_EVENT_STREAM_H
#define SLUICE_COLLECTOR_METRICS_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/metrics/http_library.h"
#include "collector/text/output.h"

#define EVENT_CLIENTS 8

struct event_stream;

/* Returns NULL where memory is short. */
struct event_stream *event_stream_create(const struct http_library *http);
/* NULL is allowed; so is a stream with clients, whose daemon has gone. */
void event_stream_destroy(struct event_stream *stream);

/* Bytes that it takes, but for the events. */
size_t event_stream_memory(void);

/* Whether there is room for one more client, and whether there is any. */
bool event_stream_has_room(const struct event_stream *stream);
bool event_stream_has_clients(const struct event_stream *stream);

/*
 * A response that is the stream, to be queued for `connection`. It begins with `first`, whose
 * memory it takes over in any case. Returns NULL where memory is short.
 */
struct MHD_Response *event_stream_open(struct event_stream *stream,
                                       struct MHD_Connection *connection,
                                       const struct output *first);

/* Sends an event to all clients; its memory is taken over. */
void event_stream_send(struct event_stream *stream, const struct output *event);

/* Ends all streams: libmicrohttpd may not be stopped while one rests. */
void event_stream_close(struct event_stream *stream);

#endif
