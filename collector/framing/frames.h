/*
 * Splits a datagram into its messages: the whole payload is one message, or several have length
 * prefixes, or one follows the header of a telemetry protocol.
 *
 * A struct frames walks over one payload and has only its position in it. Pure functions; any
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
    FRAME_MESSAGE,   /* found the next message, which may be empty */
    FRAME_END,       /* no more messages; the payload is valid */
    FRAME_CONTROL,   /* a control datagram instead of a message: a heartbeat */
    FRAME_NONE,      /* no bytes where length-prefixed messages should be */
    FRAME_MALFORMED, /* the payload does not have this framing */
};

struct frames {
    enum framing framing;
    enum decode_cause cause; /* for FRAME_MALFORMED and FRAME_NONE: what is wrong at `at` */
    const uint8_t *data;
    size_t size;
    size_t at;    /* past the end before the first message: malformed */
    size_t found; /* messages so far */
};

struct frame {
    const uint8_t *data; /* within the payload */
    size_t size;
    bool is_base64; /* the message is encoded in these characters */
    enum otlp_udp_sampling sampling;
    bool is_numbered; /* the header has the number of the message */
    struct frame_number {
        uint32_t publisher, message; /* `message`: 0 follows the largest number */
    } number;
};

/*
 * Begins a walk over `size` bytes of payload, of which the first `header` are skipped. `data` must
 * stay valid during the walk.
 */
void frames_begin(struct frames *frames, enum framing framing, size_t header, const uint8_t *data,
                  size_t size);

/*
 * Finds the next message. FRAME_MESSAGE fills *next; any other result ends the walk. FRAME_CONTROL
 * and FRAME_NONE only occur before the first message. A payload shorter than the header is
 * malformed. Segments of a message are not recognised here: each is found as a message.
 */
enum frame_result frames_next(struct frames *frames, struct frame *next);

#endif
