/*
 * The state of a stream listener's connection (stream_connection.h), and what connections share:
 * for the files that serve connections.
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

/* Bytes of each connection's own buffers, for an incomplete frame and for answers. */
#define STREAM_SMALL_SIZE   ((size_t)2048)
#define STREAM_ANSWERS_SIZE ((size_t)2048)

/* The most bytes of one receive; a block has at least this size. */
#define STREAM_READ_SIZE ((size_t)64 * 1024)

/*
 * How long input is read and discarded after the last answer (nanoseconds): closing a socket with
 * unread input resets the connection, and the peer might lose the answer.
 */
#define STREAM_LINGER_NS INT64_C(1000000000)

/*
 * Under block pressure a connection with a block must complete its frame within this time
 * (nanoseconds), plus the same time for each STREAM_PRESSURE_SIZE bytes received. If its host has
 * several blocks while another host waits for a first one, there is no additional time
 * (stream_blocks.h).
 */
#define STREAM_PRESSURE_NS   INT64_C(1000000000)
#define STREAM_PRESSURE_SIZE ((size_t)64 * 1024)

/* The settings of a listener's connections. They change only while its threads are quiescent. */
struct stream_settings {
    enum framing framing;
    struct text content_type; /* of frame streams, for frame_streams_control */
    const struct schema_ops
        *answering;           /* answers frames that match no schema; NULL: those have no answer */
    size_t max_frame;         /* bytes of a message */
    struct channel_kind kind; /* of their channels */
    int64_t idle_ns;          /* the longest time without input, or without sending an answer */
    int64_t frame_ns;         /* the longest time for a frame, or for a handshake */
    struct stream_blocks *blocks; /* of stream_block_size bytes */
    int64_t
        arrival_ns; /* arrival time of all input, since 1970 UTC; 0: the time when it is handled */
};

/* The data of a thread for all connections that it serves. */
struct stream_worker {
    struct ingest *ingest;
    struct ingest_counters *counters; /* this thread's block of the listener's */
    size_t received;                  /* bytes; the caller resets it to 0 */
    bool is_awaited; /* a connection read since the caller cleared this must not be kept waiting: it
                        is owed an answer, or has more input */
    uint8_t read[STREAM_READ_SIZE];
};

/* The next step for a connection. */
enum stream_next {
    STREAM_READ,     /* to be armed for input */
    STREAM_AGAIN,    /* to be served again at once: it has pending frames */
    STREAM_PAUSE,    /* to be left alone until a block is free, or the sinks' queues have room */
    STREAM_WRITE,    /* to be armed for room to send */
    STREAM_BACK_OFF, /* to be left alone a while: it became ready many times without progress */
    STREAM_CLOSE,    /* to be closed, for the reason in `end` */
};

/* Why a connection ended; each is a term of the ledger. */
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
};

struct stream_connection {
    struct stream_channel channel;
    struct address peer;
    struct stream_share *share; /* its host's share of the blocks */
    const struct address *own;  /* its local address, which the listener owns */
    int64_t active_ns;   /* monotonic: the last time that bytes arrived or an answer was sent */
    int64_t begun_ns;    /* monotonic: start of the incomplete frame or handshake; 0: neither */
    int64_t due_ns;      /* monotonic: its deadline; INT64_MAX: none, because the delay is ours */
    int64_t pressure_ns; /* monotonic: its deadline while others wait for its block */
    enum stream_next next;
    bool draining;     /* the listener stops: input that has arrived is handled, then it ends */
    bool patient;      /* while draining: waits for the remainder of a frame that has begun */
    bool ending;       /* no further frame is handled, for the reason in `end` */
    bool discarding;   /* the last answer was sent; input is discarded */
    bool peer_gone;    /* answers cannot reach the peer: earlier input is handled, then it ends */
    bool reset;        /* peer_gone by a reset, which no receive reports again */
    bool progressed;   /* bytes were received or sent since it was last armed */
    unsigned spurious; /* times in a row that it was armed and then made no progress */
    int64_t spurious_since_ns; /* monotonic: the first of these times */
    enum stream_end end;
    enum frame_streams_state streams; /* of frame streams */

    /*
     * Pending bytes, received but not yet handled: from `at` to `used` of `block`, or of `small`.
     */
    uint8_t *block;       /* NULL: the bytes are in `small` */
    bool waits_for_block; /* for stream_blocks.h */
    size_t at, used;
    size_t max_frame; /* the limit of the pending frame, as it was when that began */
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
