#include "collector/metrics/event_stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/* An event's text, reference-counted. */
struct event {
    size_t users;
    uint64_t number; /* increases with each event; 0 means the first event of one client */
    char *text;
    size_t size; /* number of bytes in `text` */
};

struct viewer {
    struct event_stream *stream; /* NULL: the slot is free */
    struct event *event;         /* the event that is being sent, or NULL */
    uint64_t seen;               /* number of the latest event that the viewer got */
};

struct event_stream {
    struct viewer viewers[EVENT_CLIENTS];
    struct event *newest; /* NULL if no event was sent yet */
    uint64_t numbers;     /* the number of the newest event */
    bool closing;
};

struct event_stream *event_stream_create(void)
{
    return calloc(1, sizeof(struct event_stream));
}

size_t event_stream_memory(void)
{
    return sizeof(struct event_stream);
}

/* --- events ----------------------------------------------------------------------------------- */

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

/* --- viewers ---------------------------------------------------------------------------------- */

static struct viewer *free_viewer(struct event_stream *stream)
{
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        if (stream->viewers[i].stream == NULL)
            return &stream->viewers[i];
    return NULL;
}

bool event_stream_has_room(const struct event_stream *stream)
{
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        if (stream->viewers[i].stream == NULL)
            return !stream->closing;
    return false;
}

bool event_stream_has_clients(const struct event_stream *stream)
{
    for (size_t i = 0; i < EVENT_CLIENTS; i++)
        if (stream->viewers[i].stream != NULL)
            return true;
    return false;
}

/*
 * Releases the event that was sent. Sets the newest event as the next part, unless the viewer has
 * already got it.
 */
static enum http_more next_event(void *context, const char **bytes, size_t *size)
{
    struct viewer *viewer = context;
    struct event *newest = viewer->stream->newest;
    stream_release(viewer->event);
    viewer->event = NULL;
    if (viewer->stream->closing)
        return HTTP_OVER;
    if (newest == NULL || newest->number <= viewer->seen)
        return HTTP_REST;
    newest->users++;
    viewer->event = newest;
    viewer->seen = newest->number;
    *bytes = newest->text;
    *size = newest->size;
    return HTTP_MORE;
}

static void end_viewer(void *context)
{
    struct viewer *viewer = context;
    RULE(viewer->stream != NULL, "a viewer's stream ends once");
    stream_release(viewer->event);
    *viewer = (struct viewer){0};
}

bool event_stream_open(struct event_stream *stream, const struct output *first,
                       struct http_answer *answer)
{
    struct event *event = make_event(first);
    struct viewer *viewer = free_viewer(stream);
    RULE(viewer != NULL, "a stream is opened only if there is room");
    if (event == NULL)
        return false;
    *viewer = (struct viewer){.stream = stream, .event = event, .seen = stream->numbers};
    answer->bytes = event->text;
    answer->size = event->size;
    answer->next = next_event;
    answer->done = end_viewer;
    answer->context = viewer;
    return true;
}

void event_stream_send(struct event_stream *stream, const struct output *text)
{
    struct event *event = make_event(text);
    if (event == NULL)
        return;
    event->number = ++stream->numbers;
    stream_release(stream->newest);
    stream->newest = event;
}

void event_stream_close(struct event_stream *stream)
{
    stream->closing = true;
}
