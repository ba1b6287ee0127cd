/*
 * The part of a frame that a protocol layer has before it.
 *
 * A capture may have kept less of a frame than was on the wire. What a layer needs and the wire
 * did not carry makes the frame invalid; what only the capture lacks makes it cut.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_SPAN_H
#define SLUICE_COLLECTOR_CAPTURE_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct span {
    const uint8_t *data;
    size_t captured; /* bytes at `data` */
    size_t length;   /* bytes on the wire, never less than `captured` */
};

/* What a layer makes of a frame. */
enum verdict {
    VERDICT_GO_ON, /* nothing against it so far */
    VERDICT_OTHER, /* not UDP, not to the port, or invalid */
    VERDICT_CUT,   /* the capture lacks bytes that it had on the wire */
};

/* Whether the first `size` bytes can be read. */
static inline enum verdict span_needs(const struct span *span, size_t size)
{
    if (span->length < size)
        return VERDICT_OTHER;
    return span->captured < size ? VERDICT_CUT : VERDICT_GO_ON;
}

/* Drops the first `size` bytes, which must have been captured. */
static inline void span_skip(struct span *span, size_t size)
{
    span->data += size;
    span->captured -= size;
    span->length -= size;
}

/* Ends the span after `length` bytes, which it must have had on the wire. */
static inline void span_trim(struct span *span, size_t length)
{
    span->length = length;
    if (span->captured > length)
        span->captured = length;
}

#endif
