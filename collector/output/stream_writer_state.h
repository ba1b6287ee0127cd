/*
 * The state that the files of the stream's writer share. Only the sink's thread uses it, except for
 * the members that struct sink_writer marks. Each file uses only the files above it:
 *
 *   stream_writer_outcomes.c  the outcomes of the records that were put
 *   stream_writer_file.c      the beginning of a file, and reopening it
 *   stream_writer_reader.c    a reader that reports its progress and may end
 *   stream_writer_block.c     writes a block to the destination
 *   stream_writer.c           collects records in a block, and decides when it is written
 *
 * A record that was put is pending until its outcome is counted. It counts as written when the
 * destination has accepted its last byte or, if the reader reports its progress, when the reader
 * has read it. Otherwise it counts as failed. Pending records are in a ring, in the order in which
 * they were put, and leave it in that order. Only records that the destination did not accept whole
 * are removed from the ring's end.
 *
 * Any thread may set reopen_wanted. The sink's thread clears it in three cases: before it reopens a
 * file, when a reader that was told to restart has ended, and when the reader has ended by itself
 * and a new one will start.
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

/*
 * All offsets of this struct count the bytes of records since the start. They do not count the
 * heads of files.
 */
struct stream_writer {
    struct sink_writer base;
    struct output out; /* the block */
    uint64_t block_at; /* offset of the block's first byte */
    size_t sent;       /* bytes of the block that were accepted */
    size_t head_sent;  /* accepted bytes of the file's head; it is due until all are accepted */
    bool begun;        /* the destination's beginning was examined once */
    struct pending pending[MAX_PENDING]; /* a ring of the records without an outcome */
    size_t first, count;
    uint64_t committed_to;      /* offset at which the records in the ring begin */
    uint64_t reader_at;         /* offset at which the current reader began */
    bool restart_announced;     /* the destination was told to replace the current reader */
    bool hastened;              /* at a stop, the start of the next reader was requested without the
                                 * usual pause */
    bool writing;               /* writing the block has begun, but not ended */
    bool tried;                 /* a write was tried, and conclude_try was not called yet */
    bool went_out;              /* the last try accepted bytes */
    int64_t collected_until_ns; /* when the collected records must be written (monotonic) */
};

static inline struct stream_writer *stream_of(struct sink_writer *writer)
{
    return (struct stream_writer *)writer;
}

/*
 * Returns true if the reader reports its progress: records are then in flight until they are
 * read.
 */
static inline bool stream_follows_reader(const struct stream_writer *stream)
{
    return stream->base.destination->stream->progress != NULL;
}

/* Returns true if a head must still be written. It is written before the block. */
static inline bool stream_owes_head(const struct stream_writer *stream)
{
    return stream->head_sent < stream->base.head.used;
}

/*
 * Returns a pointer to the number of accepted bytes: of the head, if a head must still be written,
 * otherwise of the block.
 */
static inline size_t *stream_sent(struct stream_writer *stream)
{
    return stream_owes_head(stream) ? &stream->head_sent : &stream->sent;
}

/* Returns the offset up to which the destination has accepted records. */
static inline uint64_t stream_accepted(const struct stream_writer *stream)
{
    return stream->block_at + stream->sent;
}

/* --- stream_writer_outcomes.c ----------------------------------------------------------------- */

static inline struct pending *stream_pending_at(struct stream_writer *stream, size_t index)
{
    return &stream->pending[(stream->first + index) % MAX_PENDING];
}

/* Removes the oldest record from the ring; the caller counts it. */
void stream_writer_take_first(struct stream_writer *stream);

/* Counts the records that end at or below this offset as written. */
void stream_writer_commit_to(struct stream_writer *stream, uint64_t offset);

/* Subtracts bytes from the count of written bytes, because they were not written. */
void stream_writer_take_off_bytes(struct stream_writer *stream, size_t size);

/*
 * Removes the accepted part of an incomplete record, or of an incomplete head, from the
 * destination. Returns false if that is not possible.
 */
bool stream_writer_roll_back(struct stream_writer *stream);

/*
 * Fails every record that was not accepted whole. Accepted records stay, because a reader may still
 * read them.
 */
void stream_writer_fail_rest(struct stream_writer *stream);

/* Logs that the last record was not written whole. */
void stream_writer_log_cut(const struct stream_writer *stream);

/* --- stream_writer_file.c --------------------------------------------------------------------- */

/* If the destination is empty, notes that the head must be written first. */
void stream_writer_look_at_beginning(struct stream_writer *stream);

/* Called before a block is written: lets the destination leave a file that was moved away. */
void stream_writer_prepare(struct stream_writer *stream);

/* Between two records: opens the destination again under its name. */
void stream_writer_open_anew(struct stream_writer *stream);

/*
 * Called while writes fail. Opens the destination again if that is requested, or leaves a file that
 * was moved. Does neither if the beginning of a record cannot be removed from the old file.
 */
void stream_writer_change_failing(struct stream_writer *stream);

/* --- stream_writer_reader.c ------------------------------------------------------------------- */

/*
 * Counts the records that the reader has read and, if it has ended, the records that are lost, with
 * this reason.
 */
void stream_writer_follow_reader(struct stream_writer *stream, enum record_failure reason);

/* Calls the destination's tick if it is due, and counts as stream_writer_follow_reader does. */
void stream_writer_attend(struct stream_writer *stream);

/*
 * If the sink stops while it waits for its next reader, requests that reader at once, because the
 * usual pause may be longer than the time that the stop has. Requests it only once.
 */
void stream_writer_hasten_reader(struct stream_writer *stream);

/*
 * If a reopening is requested in the middle of a block, requests that the destination replaces the
 * reader.
 */
void stream_writer_announce_restart(struct stream_writer *stream);

/* --- stream_writer_block.c -------------------------------------------------------------------- */

/* Implements sink_writer_ops.flush. */
bool stream_writer_flush(struct sink_writer *writer);

#endif
