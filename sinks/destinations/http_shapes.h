/*
 * Selects the shape of a sink's requests if its format has two shapes: the first shape, until the
 * server has proved that it supports the second.
 *
 * After a request of the first shape was accepted, one request is sent in the second shape. A
 * header of the answer proves that the server understood that request (Prometheus remote write 2.0,
 * "Required Written Response Headers"). A status of success is not enough, because a server of
 * version 1.0 sees an empty request. Without the proof the records of that request, and all later
 * records, are sent in the first shape.
 *
 * If records have no form in the first shape, all requests are sent in the second.
 *
 * A state machine without a connection. One thread at a time. All zero at first, except `two` and
 * `only_second`.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

struct http_shapes {
    bool two;       /* the format has two shapes */
    bool only_second;
    bool taken;     /* a request of the first shape was accepted */
    bool trying;    /* the first request of the second shape is in flight */
    bool proven;    /* the server supports the second shape */
    bool given_up;  /* the second shape is not tried again */
    unsigned tries; /* answers to the second shape that neither prove nor disprove support */
};

/* The shape of the next request: 0 or 1. */
size_t http_shapes_next(struct http_shapes *shapes);

/*
 * Notes the answer to a request of that shape: its status (0: no answer) and whether it has the
 * header that proves support. Returns whether the server did not understand the records, which must
 * then be sent again in the first shape.
 */
bool http_shapes_answer(struct http_shapes *shapes, size_t shape, long status, bool proof);

#endif
