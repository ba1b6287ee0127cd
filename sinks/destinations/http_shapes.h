/*
 * Which shape the requests of a sink have, where its format has two: the first until the server has
 * proved that it knows the second.
 *
 * Once a request of the first shape was taken, one is sent in the second. What proves that it was
 * understood is a header of its answer (Prometheus remote write 2.0, "Required Written Response
 * Headers"): a status of success alone does not, since a server of 1.0 finds nothing in it. Without
 * that proof the same records are sent again in the first shape, and all later ones.
 *
 * A state machine without any connection. One thread at a time; all zero to begin with, but for
 * `two`.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H
#define SLUICE_SINKS_DESTINATIONS_HTTP_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

struct http_shapes {
    bool two;       /* the format has two */
    bool taken;     /* a request of the first was */
    bool trying;    /* one of the second is under way, the first of its kind */
    bool proven;    /* the second is known */
    bool given_up;  /* it is not, and is not tried again */
    unsigned tries; /* of the second, that said nothing about it */
};

/* The shape of the next request: 0 or 1. */
size_t http_shapes_next(struct http_shapes *shapes);

/*
 * A request of that shape has its answer: a status, 0 where none came, and whether the header is
 * there. Returns whether its records are to be sent again in the first shape: they were not
 * understood.
 */
bool http_shapes_answer(struct http_shapes *shapes, size_t shape, long status, bool proof);

#endif
