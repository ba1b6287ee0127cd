/*
 * Selects the shape of a sink's requests. Some formats have two shapes for the same records, for
 * example the versions 1.0 and 2.0 of Prometheus remote write. The first shape is used until a
 * server has shown that it supports the second.
 *
 * After a request of the first shape was accepted, one request is sent in the second shape. A
 * server that supports the second shape answers it with a certain header (Prometheus remote write
 * 2.0, "Required Written Response Headers"). A success without this header does not show support,
 * because a server of version 1.0 sees an empty request. If the answer lacks the header, the
 * records of that request and all later records are sent in the first shape.
 *
 * If the records cannot be written in the first shape, `only_second` is set.
 *
 * A state machine without a connection. One thread at a time. Initially all zero, except `two` and
 * `only_second`.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

struct http_shapes {
    bool two; /* the format has two shapes */
    bool only_second;
    bool taken;     /* a request of the first shape was accepted */
    bool trying;    /* a request in the second shape is in flight, and the server's support is not
                       known */
    bool proven;    /* the server supports the second shape */
    bool given_up;  /* the second shape is not tried again */
    unsigned tries; /* answers to the second shape that do not show if the server supports it */
};

/* Returns the shape of the next request: 0 (first) or 1 (second). */
size_t http_shapes_next(struct http_shapes *shapes);

/*
 * To be called for each answer. `status` is 0 if there was no answer. `proof` is true if the answer
 * has the header that shows support. Returns true if the server did not understand the records,
 * which must then be sent again in the first shape.
 */
bool http_shapes_answer(struct http_shapes *shapes, size_t shape, long status, bool proof);

#endif
