/*
 * Sends events to at most EVENT_CLIENTS clients, each over a stream of server-sent events (HTML
 * Living Standard, 9.2), by libmicrohttpd.
 *
 * All clients share an event's memory. A slow client skips events: after the one that it is reading
 * it gets the newest. So no other client waits for it, and it keeps at most two events in memory.
 * libmicrohttpd disconnects a client that reads nothing for the server's time limit.
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

/* Returns NULL if memory is short. */
struct event_stream *event_stream_create(const struct http_library *http);
/* After the daemon was stopped. NULL is allowed. */
void event_stream_destroy(struct event_stream *stream);

/* Bytes of its memory without the events. */
size_t event_stream_memory(void);

/* Whether there is room for one more client, and whether there is any. */
bool event_stream_has_room(const struct event_stream *stream);
bool event_stream_has_clients(const struct event_stream *stream);

/*
 * Returns a response for `connection` that streams the events, beginning with `first`, whose memory
 * it takes ownership of in any case. Only if there is room. Returns NULL if memory is short.
 */
struct MHD_Response *event_stream_open(struct event_stream *stream,
                                       struct MHD_Connection *connection,
                                       const struct output *first);

/* Sends an event to all clients; takes ownership of its memory. */
void event_stream_send(struct event_stream *stream, const struct output *event);

/* Ends all streams: libmicrohttpd must not be stopped while a connection is suspended. */
void event_stream_close(struct event_stream *stream);

#endif
