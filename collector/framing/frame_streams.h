/*
 * Frame Streams, the protocol of dnstap over TCP: each message follows its length, and a control
 * frame follows a length of 0 and its own length. All numbers have four bytes, the most significant
 * first.
 *
 * A stream begins with START and ends with STOP. A sender that wants answers begins with READY,
 * which is answered with ACCEPT, and its STOP is answered with FINISH. READY and START name the
 * content type of the messages. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_FRAME_STREAMS_H
#define SLUICE_COLLECTOR_FRAMING_FRAME_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/text.h"

/* The maximum number of bytes of a control frame after its two lengths, and of a content type. */
#define FRAME_STREAMS_CONTROL_MOST ((size_t)512)
#define FRAME_STREAMS_TYPE_MOST    ((size_t)256)

/* The bytes before a control frame: the length of 0, and the control frame's own length. */
#define FRAME_STREAMS_ESCAPE ((size_t)8)

/* The maximum number of bytes of an answer: ACCEPT with one content type. */
#define FRAME_STREAMS_ANSWER_MOST (FRAME_STREAMS_ESCAPE + 12 + FRAME_STREAMS_TYPE_MOST)

/* The state of a stream; 0 at the stream's beginning. */
enum frame_streams_state {
    FRAME_STREAMS_BEGUN,
    FRAME_STREAMS_ACCEPTED, /* READY was answered */
    FRAME_STREAMS_STARTED,  /* messages follow */
    FRAME_STREAMS_STARTED_TWO_WAY,
    FRAME_STREAMS_STOPPED, /* nothing may follow */
};

enum frame_streams_result {
    FRAME_STREAMS_TAKEN,
    FRAME_STREAMS_OTHER_TYPE, /* the stream's messages have another content type */
    FRAME_STREAMS_MALFORMED,  /* not a control frame, or not allowed in this state */
};

struct frame_streams_answer {
    size_t size; /* 0: no answer */
    uint8_t bytes[FRAME_STREAMS_ANSWER_MOST];
};

/* Returns whether messages are allowed now. */
static inline int frame_streams_is_started(enum frame_streams_state state)
{
    return state == FRAME_STREAMS_STARTED || state == FRAME_STREAMS_STARTED_TWO_WAY;
}

/*
 * Handles a control frame of `size` bytes, including both lengths: updates *state, and fills
 * *answer, which the caller sends. `wanted` is the content type that messages must have (at most
 * FRAME_STREAMS_TYPE_MOST bytes); empty: any type of protobuf. A stream that names no type is
 * accepted.
 */
enum frame_streams_result frame_streams_control(enum frame_streams_state *state,
                                                const struct text *wanted, const uint8_t *data,
                                                size_t size, struct frame_streams_answer *answer);

#endif
