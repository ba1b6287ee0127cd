/*
 * Writes and reads the frames that clients send over TCP in the simulated world. The code shares
 * nothing with the collector's.
 */
#ifndef SLUICE_TESTS_SIMULATION_FRAMES_H
#define SLUICE_TESTS_SIMULATION_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum framing_kind { FRAMES_LENGTH32, FRAMES_LENGTH16, FRAMES_DELIMITED, FRAMES_STREAMS };
#define FRAMES_KINDS 4

/* The value of the key framing=. */
const char *framing_name(enum framing_kind framing);

enum frame_kind {
    FRAME_OF_RECORD,  /* a message, decodable or not */
    FRAME_OF_CONTROL, /* a control frame of Frame Streams */
    FRAME_ANSWERED,   /* a message that the program acknowledges */
    FRAME_OF_NOTHING, /* an empty message */

    /* After each of the following kinds the program closes the connection. */
    FRAME_OTHER_TYPE, /* the stream declares another content type */
    FRAME_TOO_LONG,
    FRAME_OF_NO_KIND, /* not a frame */
};

static inline bool frame_is_last(enum frame_kind kind)
{
    return kind >= FRAME_OTHER_TYPE;
}

/* Writes the bytes that precede a message of this size. Returns their number, at most 10. */
size_t frame_head(enum framing_kind framing, size_t size, uint8_t *to);

/* Writes a length that no listener accepts. Returns its size, or 0 if this framing has none. */
size_t frame_head_too_long(enum framing_kind framing, uint8_t *to);

/* Writes bytes that cannot begin a frame. Returns their number, or 0 if any bytes can. */
size_t frame_garbage(enum framing_kind framing, uint8_t *to);

/*
 * Examines the first frame of these bytes. Sets *head to the size of its length field. Returns the
 * size of the whole frame, or 0 if it is incomplete.
 */
size_t frame_look(enum framing_kind framing, const uint8_t *bytes, size_t size, size_t *head);

/*
 * Control frames of Frame Streams. `type` is the content type, or NULL for none. A frame has at
 * most 60 bytes.
 */
enum frame_control {
    CONTROL_IS_ACCEPT = 1,
    CONTROL_IS_START,
    CONTROL_IS_STOP,
    CONTROL_IS_READY,
    CONTROL_IS_FINISH
};
size_t frame_control(enum frame_control control, const char *type, uint8_t *to);

#endif
