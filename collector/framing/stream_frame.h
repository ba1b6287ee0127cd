/*
 * Where a frame ends in a stream of bytes: messages after their lengths, as frames.h has them in a
 * datagram. A frame is the length with its message. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H
#define SLUICE_COLLECTOR_FRAMING_STREAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/framing.h"

/* Bytes that stand before a message at most. */
#define STREAM_FRAME_HEADER_MOST 10

enum stream_frame_result {
    STREAM_FRAME_KNOWN,     /* *size bytes are the frame, whether they are there or not */
    STREAM_FRAME_MORE,      /* not even its length is there */
    STREAM_FRAME_TOO_LARGE, /* its message is longer than the limit */
    STREAM_FRAME_MALFORMED, /* this is no length */
};

/* Whether messages in a stream can be told apart by this framing. */
bool stream_frame_can(enum framing framing);

/* Whether a frame that is known is a control frame (collector/framing/frame_streams.h). */
bool stream_frame_is_control(enum framing framing, const uint8_t *data);

/*
 * Looks at the `size` bytes that there are of a frame whose message has at most `most` bytes;
 * *whole is what the frame has in all, filled where it is known.
 */
enum stream_frame_result stream_frame_look(enum framing framing, const uint8_t *data, size_t size,
                                           uint64_t most, size_t *whole);

#endif
