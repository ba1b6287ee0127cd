#include "collector/metrics/event_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/* The size of the blocks in which the library reads a stream. */
#define BLOCK ((size_t)16 * 1024)

/* An event's text, reference-counted. */
struct event {
    size_t users;
    uint64_t number; /* increases with each event; 0: the first event of one client */
    char *text;
    size_t size; /* number of bytes in `text` */
};

struct client {
    struct event_stream *stream;
    struct MHD_Connection *connection; /* NULL: the slot is free */
    bool resting;                      /* suspended until there is another event */
    struct event *event;               /* the event that is being sent; NULL: no event */
    size_t sent;                       /* number of bytes of `event` that were sent */
    uint64_t seen;                     /* number of the latest event that the client got */
};

struct event_stream {
    const struct http_library *http;
    struct client clients[EVENT_CLIENTS];
    struct event *newest; /* NULL: no event was sent yet */
    uint64_t numbers;     /* the number of the newest event */
    bool closing;
};

struct event_stream *event_stream_create(const struct http_library *http)
{
    struct event_stream *stream = calloc(1, sizeof *stream);
    if (stream != NULL)
        stream->http = http;
    return stream;
}

size_t event_stream_memory(void)
{
    return sizeof(struct event_stream) + EVENT_CLIENTS * BLOCK;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Takes ownership of the text. Returns an event with one reference, or NULL if memory is short. */
static struct event *make_event(const struct output *text)
{
    struct event *event = malloc(sizeof *event);
    if (event == NULL) {
        free(text->data);
        return NULL;
    }
    *event = (struct event){.users = 1, .text = text->data, .size = text->used};
    return event;
}

static void stream_release(struct event *event)
{
    if (event == NULL)
        return;
    RULE(event->users != 0, "an event is released once by each user");
    if (--event->users != 0)
        return;
    free(event->text);
    free(event);
}

void event_stream_destroy(struct event_stream *stream)
{
    if (stream == NULL)
        return;
    stream_release(stream->newest);
    free(stream);
}

/* --- clients ---------------------------------------------------------------------------------- */

bool event_stream_has_room(const struct event_stream *stream)
{
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        if (stream->clients[i].connection == NULL)
            return !stream->closing;
    return false;
}

bool event_stream_has_clients(const struct event_stream *stream)
{
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        if (stream->clients[i].connection != NULL)
            return true;
    return false;
}

/*
 * Returns whether there is something to send to the client; gives an idle client the newest event.
 */
static bool has_event(struct client *client)
{
    struct event *newest = client->stream->newest;
    if (client->event == NULL && newest != NULL && newest->number > client->seen) {
        client->event = newest;
        client->seen = newest->number;
        client->sent = 0;
        newest->users++;
    }
    return client->event != NULL;
}

static ssize_t read_events(void *argument, uint64_t at, char *out, size_t most)
{
    struct client *client = argument;
    (void)at;
    if (client->stream->closing)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (!has_event(client)) {
        client->resting = true;
        client->stream->http->suspend_connection(client->connection);
        return 0;
    }
    struct event *event = client->event;
    size_t left = event->size - client->sent;
    size_t size = left < most ? left : most;
    memcpy(out, event->text + client->sent, size);
    client->sent += size;
    if (client->sent == event->size) {
        client->event = NULL;
        stream_release(event);
    }
    return (ssize_t)size;
}

static void end_client(void *argument)
{
    struct client *client = argument;
    RULE(client->connection != NULL, "a viewer's stream ends once");
    stream_release(client->event);
    *client = (struct client){.stream = client->stream};
}

static struct client *free_slot(struct event_stream *stream)
{
    size_t i = 0;
    while (stream->clients[i].connection != NULL) {
        i++;
        RULE(i < EVENT_CLIENTS, "a stream is opened only if there is room");
    }
    return &stream->clients[i];
}

struct MHD_Response *event_stream_open(struct event_stream *stream,
                                       struct MHD_Connection *connection,
                                       const struct output *first)
{
    struct event *event = make_event(first);
    if (event == NULL)
        return NULL;
    struct client *client = free_slot(stream);
    *client = (struct client){
        .stream = stream, .connection = connection, .event = event, .seen = stream->numbers};
    struct MHD_Response *response = stream->http->create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK, read_events, client, end_client);
    if (response == NULL)
        end_client(client);
    return response;
}

static void stream_wake(struct client *client)
{
    if (!client->resting)
        return;
    RULE(client->connection != NULL, "a suspended viewer has a connection");
    client->resting = false;
    client->stream->http->resume_connection(client->connection);
}

void event_stream_send(struct event_stream *stream, const struct output *text)
{
    struct event *event = make_event(text);
    if (event == NULL)
        return;
    event->number = ++stream->numbers;
    stream_release(stream->newest);
    stream->newest = event;
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        stream_wake(&stream->clients[i]);
}

void event_stream_close(struct event_stream *stream)
{
    stream->closing = true;
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        stream_wake(&stream->clients[i]);
}
