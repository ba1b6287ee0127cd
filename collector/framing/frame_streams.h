/*
 * Frame Streams, the protocol of dnstap over TCP. Each message is preceded by its length. A control
 * frame is preceded by a length of 0 and then its own length. All numbers have four bytes,
 * big-endian.
 *
 * A stream begins with START and ends with STOP. A sender that requests answers begins with READY.
 * READY is then answered with ACCEPT, and STOP with FINISH. READY and START name the content type
 * of the messages. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_FRAME_STREAMS_H
#define SLUICE_COLLECTOR_FRAMING_FRAME_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

/* Upper limits in bytes: a control frame without its two lengths, and a content type. */
#define FRAME_STREAMS_CONTROL_MOST ((size_t)512)
#define FRAME_STREAMS_TYPE_MOST    ((size_t)256)

/* The bytes that precede a control frame: a length of 0, then the control frame's length. */
#define FRAME_STREAMS_ESCAPE ((size_t)8)

/* The upper limit of an answer in bytes: ACCEPT with one content type. */
#define FRAME_STREAMS_ANSWER_MOST (FRAME_STREAMS_ESCAPE + 12 + FRAME_STREAMS_TYPE_MOST)

/* The state of a stream. A new stream has state 0. */
enum frame_streams_state {
    FRAME_STREAMS_BEGUN,
    FRAME_STREAMS_ACCEPTED, /* READY was answered */
    FRAME_STREAMS_STARTED,  /* START was received: messages follow */
    FRAME_STREAMS_STARTED_TWO_WAY,
    FRAME_STREAMS_STOPPED, /* STOP was received: nothing may follow */
};

enum frame_streams_result {
    FRAME_STREAMS_TAKEN,
    FRAME_STREAMS_OTHER_TYPE, /* the stream's messages have another content type */
    FRAME_STREAMS_MALFORMED,  /* not a control frame, or not allowed in this state */
};

struct frame_streams_answer {
    size_t size; /* 0 if no answer is due */
    uint8_t bytes[FRAME_STREAMS_ANSWER_MOST];
};

/* Returns true if the stream may send messages now. */
static inline int frame_streams_is_started(enum frame_streams_state state)
{
    return state == FRAME_STREAMS_STARTED || state == FRAME_STREAMS_STARTED_TWO_WAY;
}

/*
 * Handles a control frame of `size` bytes, including both lengths. Updates *state and fills
 * *answer, which the caller sends. `wanted` is the content type that the messages must have, at
 * most FRAME_STREAMS_TYPE_MOST bytes; if it is empty, any type that begins with "protobuf:" is
 * accepted. A stream that names no type is accepted.
 */
enum frame_streams_result frame_streams_control(enum frame_streams_state *state,
                                                const struct text *wanted, const uint8_t *data,
                                                size_t size, struct frame_streams_answer *answer);

#endif
