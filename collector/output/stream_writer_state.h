/*
 * What the files of the stream's writer share: its state, which belongs to the sink's thread, but
 * for what struct sink_writer says. Each file uses those above it only:
 *
 *   stream_writer_outcomes.c   what becomes of records that were put
 *   stream_writer_file.c    the file that is written to: what it begins with, and its successors
 *   stream_writer_reader.c  a reader that says how far it is, and that may end
 *   stream_writer_block.c   how a block is brought to the destination
 *   stream_writer.c         collects records in a block, and decides when it is written
 *
 * A record that was put is pending until its outcome is counted: written, once the destination has
 * its last byte, or where a reader is followed, once that has read it; or failed. Records leave the
 * ring in the order in which they were put; only those that are not out leave it from the end.
 *
 * Any thread sets reopen_wanted. The sink's thread clears it: before it reopens a file, once the
 * reader that was asked to go has ended, or where another reader comes in any case.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_STATE_H
#define SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_STATE_H

#include "collector/contract/destination_stream.h"
#include "collector/output/encoded_counts.h"
#include "collector/output/sink_writer.h"

#define MAX_PENDING 2048 /* a power of two */

/* A record that was put and whose fate is not known. */
struct pending {
    uint64_t end; /* after its last byte, counted over all records */
    struct encoded_counts counts;
};

/* Offsets are bytes of records from the first on, without heads. */
struct stream_writer {
    struct sink_writer base;
    struct output out;                   /* the block */
    uint64_t block_at;                   /* offset of its first byte */
    size_t sent;                         /* bytes of it that are out */
    size_t head_sent;                    /* bytes of the head that are out; all: it is not due */
    bool begun;                          /* it was looked at what the destination begins with */
    struct pending pending[MAX_PENDING]; /* a ring */
    size_t first, count;
    uint64_t committed_to;      /* where the last record before those ends */
    uint64_t reader_at;         /* what the present reader was given first */
    bool restart_announced;     /* to the present reader */
    bool writing;               /* the block: begun and not ended */
    bool tried;                 /* a write of it, and what follows from that is still to be done */
    bool went_out;              /* something in that write */
    int64_t collected_until_ns; /* monotonic */
};

static inline struct stream_writer *stream_of(struct sink_writer *writer)
{
    return (struct stream_writer *)writer;
}

/* Records are in flight until they are read. */
static inline bool stream_follows_reader(const struct stream_writer *stream)
{
    return stream->base.destination->stream->progress != NULL;
}

/* What a file begins with is not out. It comes before what is in the block. */
static inline bool stream_owes_head(const struct stream_writer *stream)
{
    return stream->head_sent < stream->base.head.used;
}

/* How much is out of what is to be written next: the head or the block. */
static inline size_t *stream_sent(struct stream_writer *stream)
{
    return stream_owes_head(stream) ? &stream->head_sent : &stream->sent;
}

/* The offset up to which the destination has accepted records. */
static inline uint64_t stream_accepted(const struct stream_writer *stream)
{
    return stream->block_at + stream->sent;
}

/* --- stream_writer_outcomes.c --------------------------------------------------------------------
 */

static inline struct pending *stream_pending_at(struct stream_writer *stream, size_t index)
{
    return &stream->pending[(stream->first + index) % MAX_PENDING];
}

/* Takes the first record out of the ring; the caller counts it. */
void stream_writer_take_first(struct stream_writer *stream);

/* Counts the records up to that offset as written. */
void stream_writer_commit_to(struct stream_writer *stream, uint64_t offset);

/* Bytes that were counted as written are not. */
void stream_writer_take_off_bytes(struct stream_writer *stream, size_t size);

/*
 * Of what is out takes back what follows the last whole record: the beginning of the next one; or
 * else the beginning of the head. Returns false where that cannot be done.
 */
bool stream_writer_roll_back(struct stream_writer *stream);

/* Every record that is not out as a whole fails. What a reader may still read is not among them. */
void stream_writer_fail_rest(struct stream_writer *stream);

/* Logs that the last record is not out as a whole. */
void stream_writer_log_cut(const struct stream_writer *stream);

/* --- stream_writer_file.c --------------------------------------------------------------------- */

/* What a file begins with is due where nothing is in it. */
void stream_writer_look_at_beginning(struct stream_writer *stream);

/* Before a block. */
void stream_writer_prepare(struct stream_writer *stream);

/* Between two records: opens the destination again under its name. */
void stream_writer_open_anew(struct stream_writer *stream);

/*
 * Where writes fail: the same if it is wanted, or leaves a file that was moved; neither where the
 * beginning of a record cannot be taken back.
 */
void stream_writer_change_failing(struct stream_writer *stream);

/* --- stream_writer_reader.c ------------------------------------------------------------------- */

/* Counts what the reader has read, and what it has lost where it has ended, for this reason. */
void stream_writer_follow_reader(struct stream_writer *stream, enum record_failure reason);

/* Has the destination do what is due, and counts what has come of it. */
void stream_writer_attend(struct stream_writer *stream);

/* Where a reopening is wanted in the middle of a block: the reader is to be replaced. */
void stream_writer_announce_restart(struct stream_writer *stream);

/* --- stream_writer_block.c -------------------------------------------------------------------- */

/* As sink_writer_ops.flush. */
bool stream_writer_flush(struct sink_writer *writer);

#endif
