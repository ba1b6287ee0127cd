/*
 * The part of a frame that a protocol layer parses.
 *
 * A capture may contain fewer bytes of a frame than were on the wire. If a layer needs bytes that
 * were not on the wire, the frame is invalid; if only the capture lacks them, the frame is cut.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_SPAN_H
#define SLUICE_COLLECTOR_CAPTURE_SPAN_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/rule.h"

struct span {
    const uint8_t *data;
    size_t captured; /* bytes at `data` */
    size_t length;   /* bytes on the wire, never less than `captured` */
};

/* The result of parsing a layer. */
enum verdict {
    VERDICT_GO_ON, /* valid so far */
    VERDICT_OTHER, /* not UDP, not to the port, or invalid */
    VERDICT_CUT,   /* the capture lacks bytes that were on the wire */
};

/* Checks that the first `size` bytes can be read. Returns VERDICT_GO_ON, or why they cannot. */
static inline enum verdict span_needs(const struct span *span, size_t size)
{
    if (span->length < size)
        return VERDICT_OTHER;
    return span->captured < size ? VERDICT_CUT : VERDICT_GO_ON;
}

/* Removes the first `size` bytes, which must have been captured, from the span. */
static inline void span_skip(struct span *span, size_t size)
{
    RULE(size <= span->captured, "only captured bytes of a span are skipped");
    span->data += size;
    span->captured -= size;
    span->length -= size;
}

/* Shortens the span to `length` bytes, at most its length on the wire. */
static inline void span_trim(struct span *span, size_t length)
{
    RULE(length <= span->length, "a span only becomes shorter");
    span->length = length;
    if (span->captured > length)
        span->captured = length;
}

#endif
