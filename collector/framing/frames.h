/*
 * Splits a datagram into its messages. The payload is one message, or several messages with length
 * prefixes, or one message after the header of a telemetry protocol.
 *
 * A struct frames walks over one payload and contains only its position in the payload. Pure
 * functions; any thread.
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
    FRAME_CONTROL,   /* no message, but a control datagram such as a heartbeat */
    FRAME_NONE,      /* no bytes, where a length-prefixed message is required */
    FRAME_MALFORMED, /* the payload does not have this framing */
};

struct frames {
    enum framing framing;
    enum decode_cause cause; /* for FRAME_MALFORMED and FRAME_NONE: the fault at offset `at` */
    const uint8_t *data;
    size_t size;
    size_t at; /* offset of the next byte; exceeds `size` if the payload is shorter than the skipped
                  header */
    size_t found;
};

struct frame {
    const uint8_t *data; /* within the payload */
    size_t size;
    bool is_base64; /* the message is encoded in base64 */
    enum otlp_udp_sampling sampling;
    bool is_numbered; /* `number` is set: the header has a message number */
    struct frame_number {
        uint32_t publisher, message; /* `message` continues with 0 after UINT32_MAX */
    } number;
};

/*
 * Begins a walk over `size` bytes of payload and skips its first `header` bytes. `data` must stay
 * valid during the walk.
 */
void frames_begin(struct frames *frames, enum framing framing, size_t header, const uint8_t *data,
                  size_t size);

/*
 * Finds the next message. FRAME_MESSAGE fills *next; any other result ends the walk. FRAME_CONTROL
 * and FRAME_NONE only occur before the first message. A payload shorter than the skipped header is
 * malformed. A segment of a UDP-Notif message is returned like a message.
 */
enum frame_result frames_next(struct frames *frames, struct frame *next);

#endif
