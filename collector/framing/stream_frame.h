/*
 * Finds the end of a frame in a stream of bytes. A frame is a message and a length before it, which
 * may be part of a header; the framings are those of frames.h. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H
#define SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/framing.h"

/* The maximum number of bytes before a message. */
#define STREAM_FRAME_HEADER_MOST 12

enum stream_frame_result {
    STREAM_FRAME_KNOWN,     /* the frame has *whole bytes; not all of them need be there */
    STREAM_FRAME_MORE,      /* its length is incomplete */
    STREAM_FRAME_TOO_LARGE, /* its message is longer than the limit */
    STREAM_FRAME_MALFORMED, /* not a valid length or header */
};

/* Returns whether this framing can separate messages in a stream. */
bool stream_frame_can(enum framing framing);

/*
 * Returns whether a frame whose end is known is a control frame
 * (collector/framing/frame_streams.h).
 */
bool stream_frame_is_control(enum framing framing, const uint8_t *data);

/*
 * Examines the first `size` bytes of a frame whose message may have at most `most` bytes. *whole is
 * the size of the frame, if known.
 */
enum stream_frame_result stream_frame_look(enum framing framing, const uint8_t *data, size_t size,
                                           uint64_t most, size_t *whole);

#endif
