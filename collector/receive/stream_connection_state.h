/*
 * The state of a stream listener's connection (stream_connection.h), and the data that connections
 * share. Internal to the files that serve connections.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_STATE_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_CONNECTION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/framing.h"
#include "collector/contract/schema.h"
#include "collector/framing/frame_streams.h"
#include "collector/receive/ingest.h"
#include "collector/receive/stream_blocks.h"
#include "collector/receive/stream_channel.h"

/* Bytes of a connection's own buffers for an incomplete frame and for answers. */
#define STREAM_SMALL_SIZE   ((size_t)2048)
#define STREAM_ANSWERS_SIZE ((size_t)2048)

/* The upper limit of one receive in bytes. A block has at least this size. */
#define STREAM_READ_SIZE ((size_t)64 * 1024)

/*
 * How long (nanoseconds) input is read and discarded after the last answer. Closing a socket with
 * unread input would reset the connection, and the peer might lose the answer.
 */
#define STREAM_LINGER_NS INT64_C(1000000000)

/*
 * If other connections wait for blocks, a connection with a block must complete its frame within
 * STREAM_PRESSURE_NS (nanoseconds), plus the same time for each STREAM_PRESSURE_SIZE bytes
 * received. The additional time is omitted if its host has several blocks while another host waits
 * for its first (stream_blocks.h).
 */
#define STREAM_PRESSURE_NS   INT64_C(1000000000)
#define STREAM_PRESSURE_SIZE ((size_t)64 * 1024)

/* Shared by a listener's connections. Changes only while the listener's threads are quiescent. */
struct stream_settings {
    enum framing framing;
    struct text content_type; /* for frame_streams_control */
    /* Answers frames that match no schema. If NULL, such frames get no answer. */
    const struct schema_ops *answering;
    size_t max_frame; /* upper limit of a message in bytes */
    struct channel_kind kind;
    int64_t idle_ns;  /* upper limit of the time without input and without a sent answer */
    int64_t frame_ns; /* upper limit of the time for a frame, or for a handshake */
    struct stream_blocks *blocks; /* of stream_block_size bytes each */
    /* The arrival time of all input, since 1970 UTC; if 0, input arrives when it is handled. */
    int64_t arrival_ns;
};

/* A thread's data for all connections that it serves. */
struct stream_worker {
    struct ingest *ingest;
    struct ingest_counters *counters; /* the thread's own block of the listener's counters */
    size_t received;                  /* number of bytes received since the caller set it to 0 */
    bool is_awaited; /* set if a connection that was read must not wait: it has an answer to send,
                        or more input; only the caller clears it */
    uint8_t read[STREAM_READ_SIZE];
};

/* The next step for a connection. */
enum stream_next {
    STREAM_READ,     /* arm the connection for input */
    STREAM_AGAIN,    /* serve it again at once: it has pending frames */
    STREAM_PAUSE,    /* do not serve it until a block is free or the sinks' queues have room */
    STREAM_WRITE,    /* arm it for room to send */
    STREAM_BACK_OFF, /* leave it for a while: it was ready many times without progress */
    STREAM_CLOSE,    /* close it, for the reason in `end` */
};

/* The reason for which a connection ended. Each is a term of the ledger. */
enum stream_end {
    STREAM_CLOSED,
    STREAM_FRAME_CUT,
    STREAM_RESET,
    STREAM_IDLE,
    STREAM_FRAME_TIMEOUT,
    STREAM_BAD_FRAME,
    STREAM_CONTENT_TYPE,
    STREAM_CHANNEL_FAILED,
    STREAM_STOPPED,
    STREAM_UNWATCHED,
    STREAM_END_COUNT
};

struct stream_connection {
    struct stream_channel channel;
    struct address peer;
    struct stream_share *share; /* the share of the peer's host */
    const struct address *own;  /* local address, owned by the listener */
    int64_t active_ns;          /* monotonic: last arrival of bytes, or last answer sent */
    int64_t begun_ns;    /* monotonic: beginning of the incomplete frame or handshake; 0 if none */
    int64_t due_ns;      /* monotonic: deadline; INT64_MAX while the collector causes the delay */
    int64_t pressure_ns; /* monotonic: after this the connection may be ended if others wait for its
                            block */
    enum stream_next next;
    bool draining;   /* the listener stops: the connection ends after the input that has arrived */
    bool patient;    /* while draining: the connection waits for the rest of a frame */
    bool ending;     /* no further frame is handled; `end` has the reason */
    bool discarding; /* the last answer was sent; further input is discarded */
    bool peer_gone;  /* the peer cannot get answers; the connection ends after its input */
    bool reset;      /* a reset ended the peer's side; no receive will report it again */
    bool progressed; /* bytes were received or sent since the connection was last armed */
    unsigned spurious;         /* number of consecutive armings without progress */
    int64_t spurious_since_ns; /* monotonic: the first of these armings */
    enum stream_end end;
    enum frame_streams_state streams; /* only for frame streams */

    /*
     * Pending bytes were received but not yet handled. They are in `block`, or in `small` if
     * `block` is NULL, from offset `at` to `used`.
     */
    uint8_t *block;
    bool waits_for_block; /* only stream_blocks.c changes this */
    size_t at, used;
    size_t max_frame; /* the listener's limit when the pending frame began */
    size_t answers_at, answers_used;
    uint8_t small[STREAM_SMALL_SIZE];
    uint8_t answers[STREAM_ANSWERS_SIZE];
};

/* Ends the connection for this reason: no further frame is handled. */
static inline void stream_connection_end_by(struct stream_connection *connection,
                                            enum stream_end end)
{
    connection->ending = true;
    connection->end = end;
    connection->next = STREAM_CLOSE;
}

#endif
