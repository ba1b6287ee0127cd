/*
 * The messages of a datagram: as its whole payload, several after their lengths, or after
 * the header of a telemetry protocol.
 *
 * A struct frames walks over one payload and keeps nothing but its place in it. Pure functions; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_FRAMES_H
#define SLUICE_COLLECTOR_FRAMING_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/decode_failure.h"
#include "collector/contract/framing.h"

enum frame_result {
    FRAME_MESSAGE,   /* the next one was found; it may have no bytes */
    FRAME_END,       /* that was all, and all was in order */
    FRAME_CONTROL,   /* no message but a word about the connection: a heartbeat */
    FRAME_NONE,      /* there is not a byte where messages with their lengths should be */
    FRAME_MALFORMED, /* not framed like that */
};

struct frames {
    enum framing framing;
    enum decode_cause cause; /* of FRAME_MALFORMED and FRAME_NONE: what is wrong at `at` */
    const uint8_t *data;
    size_t size;
    size_t at;    /* may be past the end before the first message: then it is malformed */
    size_t found; /* messages so far */
};

struct frame {
    const uint8_t *data; /* within the payload */
    size_t size;
    bool is_base64; /* the message is what these characters stand for */
    enum otlp_udp_sampling sampling;
    bool is_numbered; /* the header says which message of its publisher it is */
    struct frame_number {
        uint32_t publisher, message; /* 0 follows the largest number of a message */
    } number;
};

/*
 * Begins a walk over `size` bytes of payload; the first `header` of them belong to nobody. `data`
 * must stand as long as the walk.
 */
void frames_begin(struct frames *frames, enum framing framing, size_t header, const uint8_t *data,
                  size_t size);

/*
 * Finds the next message. On FRAME_MESSAGE *next is where it stands in the payload; any other
 * result ends the walk. FRAME_CONTROL and FRAME_NONE come before any message. A payload shorter
 * than the header is malformed. A segment of a message is found as if it were one: whoever takes
 * segments reads the header first.
 */
enum frame_result frames_next(struct frames *frames, struct frame *next);

#endif
