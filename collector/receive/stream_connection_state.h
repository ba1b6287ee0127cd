/*
 * The state of a stream listener's connection (stream_connection.h), and the data that connections
 * share. Only for the files that serve connections.
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

/* The maximum number of bytes of one receive; a block has at least this size. */
#define STREAM_READ_SIZE ((size_t)64 * 1024)

/*
 * How long input is read and discarded after the last answer (nanoseconds). Closing a socket with
 * unread input would reset the connection, and the peer might then lose the answer.
 */
#define STREAM_LINGER_NS INT64_C(1000000000)

/*
 * If other connections wait for blocks, a connection with a block must complete its frame within
 * this time (nanoseconds), plus the same time for each STREAM_PRESSURE_SIZE bytes received. There
 * is no additional time if its host has several blocks while another host waits for its first block
 * (stream_blocks.h).
 */
#define STREAM_PRESSURE_NS   INT64_C(1000000000)
#define STREAM_PRESSURE_SIZE ((size_t)64 * 1024)

/* The settings of a listener's connections. They change only while its threads are quiescent. */
struct stream_settings {
    enum framing framing;
    struct text content_type; /* the type of frame streams, for frame_streams_control */
    /* Answers frames that match no schema; NULL: such frames get no answer. */
    const struct schema_ops *answering;
    size_t max_frame;         /* the maximum number of bytes of a message */
    struct channel_kind kind; /* the kind of the connections' channels */
    int64_t idle_ns;          /* the longest time in which no input arrives and no answer is sent */
    int64_t frame_ns;         /* the longest time for a frame, or for a handshake */
    struct stream_blocks *blocks; /* blocks of stream_block_size bytes */
    /* The arrival time given to all input, since 1970 UTC; 0: the time when input is handled. */
    int64_t arrival_ns;
};

/* The data of a thread for all connections that it serves. */
struct stream_worker {
    struct ingest *ingest;
    struct ingest_counters *counters; /* this thread's own block of the listener's counters */
    size_t received;                  /* bytes received since the caller set it to 0 */
    bool is_awaited; /* true if a connection that was read must not be kept waiting: it is owed an
                        answer, or has more input. Only the caller clears it. */
    uint8_t read[STREAM_READ_SIZE];
};

/* The next step for a connection. */
enum stream_next {
    STREAM_READ,     /* arm the connection for input */
    STREAM_AGAIN,    /* serve it again at once: it has pending frames */
    STREAM_PAUSE,    /* do not serve it until a block is free, or the sinks' queues have room */
    STREAM_WRITE,    /* arm it for room to send */
    STREAM_BACK_OFF, /* leave it for a while: it became ready many times without progress */
    STREAM_CLOSE,    /* close it, for the reason in `end` */
};

/* Why a connection ended; each reason is a term of the ledger. */
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
    struct stream_share *share; /* the share of its host */
    const struct address *own;  /* the local address, owned by the listener */
    int64_t active_ns;   /* monotonic: the last time that bytes arrived or an answer was sent */
    int64_t begun_ns;    /* monotonic: start of the incomplete frame or handshake; 0: neither */
    int64_t due_ns;      /* monotonic: the deadline; INT64_MAX: none, because the collector causes
                            the delay */
    int64_t pressure_ns; /* monotonic: from then on the connection may be ended if others wait for
                            its block */
    enum stream_next next;
    bool draining;     /* the listener stops: the connection ends after its arrived input */
    bool patient;      /* while draining: the connection waits for the remainder of a frame that has
                          begun */
    bool ending;       /* no further frame is handled, for the reason in `end` */
    bool discarding;   /* the last answer was sent; later input is discarded */
    bool peer_gone;    /* the peer cannot get answers: the connection ends after its input */
    bool reset;        /* the peer is gone by a reset, which no receive reports again */
    bool progressed;   /* bytes were received or sent after it was last armed */
    unsigned spurious; /* how many times in a row it was armed without progress */
    int64_t spurious_since_ns; /* monotonic: when the first of these times was */
    enum stream_end end;
    enum frame_streams_state streams; /* the state of frame streams; not used with other framings */

    /*
     * Pending bytes were received but not yet handled. They are the bytes from `at` to `used` of
     * `block`, or of `small`.
     */
    uint8_t *block;       /* NULL: the bytes are in `small` */
    bool waits_for_block; /* the connection waits for a block; only stream_blocks.c changes this */
    size_t at, used;
    size_t max_frame; /* the listener's max_frame when the pending frame began */
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
