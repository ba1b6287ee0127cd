/*
 * The state that the files of the stream's writer share. It belongs to the sink's thread, except
 * for what struct sink_writer says. Each file uses only those above it:
 *
 *   stream_writer_outcomes.c  the outcomes of the records that were put
 *   stream_writer_file.c      the beginning of a file, and reopening it
 *   stream_writer_reader.c    a reader that reports its progress and may end
 *   stream_writer_block.c     writes a block to the destination
 *   stream_writer.c           collects records in a block, and decides when it is written
 *
 * A record that was put is pending until its outcome is counted. It counts as written when the
 * destination has accepted its last byte or, if the reader reports its progress, when the reader
 * has read it. Otherwise it fails. Records leave the ring in the order in which they were put; only
 * those that were not accepted whole leave it from the end.
 *
 * Any thread sets reopen_wanted. The sink's thread clears it: before it reopens a file, when a
 * reader has ended that was told to restart, or when the reader has ended by itself and a new one
 * starts.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_STATE_H
#define SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_STATE_H

#include "collector/contract/destination_stream.h"
#include "collector/output/encoded_counts.h"
#include "collector/output/sink_writer.h"

#define MAX_PENDING 2048 /* a power of two */

/* A record that was put and has no outcome yet. */
struct pending {
    uint64_t end; /* offset after the record's last byte */
    struct encoded_counts counts;
};

/* Offsets count the bytes of all records since the start, without heads. */
struct stream_writer {
    struct sink_writer base;
    struct output out; /* the block */
    uint64_t block_at; /* offset of the block's first byte */
    size_t sent;       /* bytes of the block that were accepted */
    size_t head_sent;  /* bytes of the head that were accepted; all of them: no head is due */
    bool begun;        /* the destination's beginning was examined once */
    struct pending pending[MAX_PENDING]; /* a ring */
    size_t first, count;
    uint64_t committed_to;      /* the offset at which the records in the ring begin */
    uint64_t reader_at;         /* the offset at which the present reader began */
    bool restart_announced;     /* the destination was told to replace the present reader */
    bool hastened;              /* an awaited reader was requested at once, because of a stop */
    bool writing;               /* writing the block was begun and not ended */
    bool tried;                 /* a write was tried, and conclude_try is still to be called */
    bool went_out;              /* the last tried write accepted bytes */
    int64_t collected_until_ns; /* monotonic */
};

static inline struct stream_writer *stream_of(struct sink_writer *writer)
{
    return (struct stream_writer *)writer;
}

/* Whether records are in flight until they are read. */
static inline bool stream_follows_reader(const struct stream_writer *stream)
{
    return stream->base.destination->stream->progress != NULL;
}

/* Whether a head must still be written. It is written before the block. */
static inline bool stream_owes_head(const struct stream_writer *stream)
{
    return stream->head_sent < stream->base.head.used;
}

/* The accepted bytes of what is written next: the head, or else the block. */
static inline size_t *stream_sent(struct stream_writer *stream)
{
    return stream_owes_head(stream) ? &stream->head_sent : &stream->sent;
}

/* The offset up to which the destination has accepted records. */
static inline uint64_t stream_accepted(const struct stream_writer *stream)
{
    return stream->block_at + stream->sent;
}

/* --- stream_writer_outcomes.c ----------------------------------------------------------------- */

static inline struct pending *stream_pending_at(struct stream_writer *stream, size_t index)
{
    return &stream->pending[(stream->first + index) % MAX_PENDING];
}

/* Takes the first record out of the ring; the caller counts it. */
void stream_writer_take_first(struct stream_writer *stream);

/* Counts the records that end at or below this offset as written. */
void stream_writer_commit_to(struct stream_writer *stream, uint64_t offset);

/* Subtracts bytes from the count of written bytes: these were not written. */
void stream_writer_take_off_bytes(struct stream_writer *stream, size_t size);

/*
 * Takes the accepted part of an incomplete record, or else of an incomplete head, back from the
 * destination. Returns false if that is not possible.
 */
bool stream_writer_roll_back(struct stream_writer *stream);

/*
 * Fails every record that was not accepted whole. Accepted records that a reader may still read
 * stay.
 */
void stream_writer_fail_rest(struct stream_writer *stream);

/* Logs that the last record was not written whole. */
void stream_writer_log_cut(const struct stream_writer *stream);

/* --- stream_writer_file.c --------------------------------------------------------------------- */

/* Sets the head due if the destination is empty. */
void stream_writer_look_at_beginning(struct stream_writer *stream);

/* Called before a block. */
void stream_writer_prepare(struct stream_writer *stream);

/* Between two records: opens the destination again under its name. */
void stream_writer_open_anew(struct stream_writer *stream);

/*
 * To be called while writes fail. Opens the destination again if that is requested, or leaves a
 * file that was moved; does neither if the beginning of a record cannot be taken back.
 */
void stream_writer_change_failing(struct stream_writer *stream);

/* --- stream_writer_reader.c ------------------------------------------------------------------- */

/* Counts the records that the reader has read, and those lost with this reason if it has ended. */
void stream_writer_follow_reader(struct stream_writer *stream, enum record_failure reason);

/* Calls the destination's tick if it is due, and counts as stream_writer_follow_reader does. */
void stream_writer_attend(struct stream_writer *stream);

/*
 * If the sink is stopping and its next reader is awaited: requests that reader at once, because the
 * pause before it may be longer than the time that the stop has. Does so once.
 */
void stream_writer_hasten_reader(struct stream_writer *stream);

/*
 * If a reopening is requested in the middle of a block: tells the destination to replace the
 * reader.
 */
void stream_writer_announce_restart(struct stream_writer *stream);

/* --- stream_writer_block.c -------------------------------------------------------------------- */

/* As sink_writer_ops.flush. */
bool stream_writer_flush(struct sink_writer *writer);

#endif
