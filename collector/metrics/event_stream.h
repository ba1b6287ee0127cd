/*
 * Sends events to at most EVENT_CLIENTS clients, each over a stream of server-sent events (HTML
 * Living Standard, 9.2), as the body of an answer.
 *
 * All clients share an event's memory. A slow client skips events: the next event that it gets is
 * always the newest. So a slow client keeps at most two events in memory, and other clients do not
 * wait for it. The server disconnects a client that reads nothing within the server's time limit.
 *
 * Lifecycle: create, open for each client and send, close, destroy after the server. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_EVENT_STREAM_H
#define SLUICE_COLLECTOR_METRICS_EVENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/metrics/http_answer.h"
#include "collector/text/output.h"

#define EVENT_CLIENTS 8

struct event_stream;

/* Returns NULL if memory is short. */
struct event_stream *event_stream_create(void);
/* Called when all streams have ended. NULL is allowed. */
void event_stream_destroy(struct event_stream *stream);

/* Returns the bytes of a stream's memory without the events. */
size_t event_stream_memory(void);

/*
 * event_stream_has_room returns true if there is room for one more client, and
 * event_stream_has_clients if there is a client.
 */
bool event_stream_has_room(const struct event_stream *stream);
bool event_stream_has_clients(const struct event_stream *stream);

/*
 * Sets the body of the answer to a stream of the events, beginning with `first`. Takes ownership of
 * the memory of `first` in any case. Call it only if there is room. Returns false if memory is
 * short.
 */
bool event_stream_open(struct event_stream *stream, const struct output *first,
                       struct http_answer *answer);

/*
 * Makes an event the next part of all streams, and takes ownership of the event's memory. Call
 * http_server_continue after it, for the streams that wait for a next part.
 */
void event_stream_send(struct event_stream *stream, const struct output *event);

/* Ends all streams at their next part. */
void event_stream_close(struct event_stream *stream);

#endif
