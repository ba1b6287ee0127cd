/*
 * Sends events to at most EVENT_CLIENTS clients, each over a stream of server-sent events (HTML
 * Living Standard, 9.2), by libmicrohttpd.
 *
 * All clients share an event's memory. A slow client skips events: the next event that it gets is
 * always the newest. So it keeps at most two events in memory, and other clients do not wait for
 * it. libmicrohttpd disconnects a client that reads nothing for the server's time limit.
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
/* Called after the daemon was stopped. NULL is allowed. */
void event_stream_destroy(struct event_stream *stream);

/* Returns the bytes of a stream's memory without the events. */
size_t event_stream_memory(void);

/* Return whether there is room for one more client, and whether there are clients. */
bool event_stream_has_room(const struct event_stream *stream);
bool event_stream_has_clients(const struct event_stream *stream);

/*
 * Returns a response for `connection` that streams the events, beginning with `first`. Takes
 * ownership of the memory of `first` in any case. Call it only if there is room. Returns NULL if
 * memory is short.
 */
struct MHD_Response *event_stream_open(struct event_stream *stream,
                                       struct MHD_Connection *connection,
                                       const struct output *first);

/* Sends an event to all clients; takes ownership of the event's memory. */
void event_stream_send(struct event_stream *stream, const struct output *event);

/* Ends all streams: libmicrohttpd must not be stopped while a connection is suspended. */
void event_stream_close(struct event_stream *stream);

#endif
