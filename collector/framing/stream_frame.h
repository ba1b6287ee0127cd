/*
 * Finds the end of a frame in a stream of bytes. A frame is a message with a length ahead of it,
 * which may be part of a header (frames.h lists the framings). Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H
#define SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/framing.h"

/* The upper limit of the bytes ahead of a message. */
#define STREAM_FRAME_HEADER_MOST 12

enum stream_frame_result {
    STREAM_FRAME_KNOWN,     /* *whole is the frame's size; the frame itself may be incomplete */
    STREAM_FRAME_MORE,      /* the length is incomplete */
    STREAM_FRAME_TOO_LARGE, /* the message exceeds the limit */
    STREAM_FRAME_MALFORMED, /* not a valid length or header */
};

/* Returns true if this framing can separate messages in a stream. */
bool stream_frame_can(enum framing framing);

/*
 * Returns true if the frame at `data`, at least 4 bytes for frame streams, is a control frame
 * (frame_streams.h).
 */
bool stream_frame_is_control(enum framing framing, const uint8_t *data);

/*
 * Examines the first `size` bytes of a frame. `most` is the upper limit of the message in bytes.
 * Sets *whole to the frame's size if it returns STREAM_FRAME_KNOWN.
 */
enum stream_frame_result stream_frame_look(enum framing framing, const uint8_t *data, size_t size,
                                           uint64_t most, size_t *whole);

#endif
