/*
 * The state of a connection of a stream listener (stream_connection.h), and what it shares with
 * others: for the files that serve connections.
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

/* Bytes that each connection has of its own: for a frame that is not whole, and for answers. */
#define STREAM_SMALL_SIZE   ((size_t)2048)
#define STREAM_ANSWERS_SIZE ((size_t)2048)

/* Bytes that a thread receives with one call; a block is no smaller. */
#define STREAM_READ_SIZE ((size_t)64 * 1024)

/* How long a connection that was refused more is read, so that it sees why (nanoseconds). */
#define STREAM_LINGER_NS INT64_C(1000000000)

/*
 * While others wait for a block, a connection that has one must complete its frame within this time
 * (nanoseconds), and the same time for each STREAM_PRESSURE_SIZE bytes of it that have come; where
 * its host has several blocks and another one has none, within this time only (stream_blocks.h).
 */
#define STREAM_PRESSURE_NS   INT64_C(1000000000)
#define STREAM_PRESSURE_SIZE ((size_t)64 * 1024)

/* What a listener's connections have in common. It changes only while its threads stand still. */
struct stream_settings {
    enum framing framing;
    struct text content_type;           /* of frame streams, as frame_streams_control has it */
    const struct schema_ops *answering; /* answers what matches no schema; NULL: nothing does */
    size_t max_frame;                   /* bytes of a message */
    struct channel_kind kind;           /* what their bytes go through */
    int64_t idle_ns;                    /* nothing comes, or no answer is read, for so long */
    int64_t frame_ns;                   /* a frame takes so long, or to open the channel */
    struct stream_blocks *blocks;       /* of stream_block_size bytes */
    int64_t arrival_ns; /* since 1970 UTC, of all that comes; 0: the moment when it is taken */
};

/* What a thread has for all connections that it serves. */
struct stream_worker {
    struct ingest *ingest;
    struct ingest_counters *counters; /* the thread's block of the listener's */
    size_t received;                  /* bytes; the caller's to set to 0 */
    bool is_awaited; /* one that was read since the caller set it to false may not be kept waiting:
                        it is owed an answer, or has more to be read */
    uint8_t read[STREAM_READ_SIZE];
};

/* What the connection wants next. */
enum stream_next {
    STREAM_READ,     /* to be armed for what comes */
    STREAM_AGAIN,    /* to be served again, without waiting: it holds frames */
    STREAM_PAUSE,    /* to be left alone until a block, or the sinks' queues, have room */
    STREAM_WRITE,    /* to be armed for room to send */
    STREAM_BACK_OFF, /* to be left alone for a while: it is ready, again and again, for nothing */
    STREAM_CLOSE,    /* to be closed; why: `end` */
};

/* How it ended: each is a term of the ledger. */
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
    struct stream_share *share; /* its host's, of the blocks */
    const struct address *own;  /* what it is connected to; the listener's */
    int64_t active_ns;          /* monotonic: when something came, or an answer went, last */
    int64_t begun_ns;    /* monotonic: since when a frame is not whole, or the channel is opened;
                            0: neither */
    int64_t due_ns;      /* monotonic: when its time is over; INT64_MAX: it is not its fault */
    int64_t pressure_ns; /* monotonic: the same where others wait for its block */
    enum stream_next next;
    bool draining;     /* the listener stops: what came is taken, then it ends */
    bool patient;      /* draining: the rest of a frame that has begun is waited for */
    bool ending;       /* no frame is taken any more; `end` says why */
    bool discarding;   /* it was answered for the last time; what still comes is thrown away */
    bool peer_gone;    /* answers do not reach it: what came before is taken, then it ends */
    bool reset;        /* the same, as it was reset, which a receive does not say again */
    bool progressed;   /* something came or went since it was last given away */
    unsigned spurious; /* times in a row that it was given away and nothing had */
    int64_t spurious_since_ns; /* monotonic: the first of these */
    enum stream_end end;
    enum frame_streams_state streams; /* of frame streams */

    /* What came and was not taken: from `at` to `used` of `block`, or of `small`. */
    uint8_t *block;       /* NULL: none */
    bool waits_for_block; /* for stream_blocks.h */
    size_t at, used;
    size_t max_frame; /* the limit of the frame that is held, as it was when that began */
    size_t answers_at, answers_used;
    uint8_t small[STREAM_SMALL_SIZE];
    uint8_t answers[STREAM_ANSWERS_SIZE];
};

/* It ends for this reason: no further frame of it is taken. */
static inline void stream_connection_end_by(struct stream_connection *connection,
                                            enum stream_end end)
{
    connection->ending = true;
    connection->end = end;
    connection->next = STREAM_CLOSE;
}

#endif
