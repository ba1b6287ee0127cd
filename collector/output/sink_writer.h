/*
 * The writing side of a sink: encodes the records that the sink's thread takes, brings the bytes to
 * the destination, and counts what became of each record.
 *
 * There is one implementation for each kind of destination, stream_writer.h, file_set_writer.h,
 * relay_writer.h and delivery_writer.h, and sink_kind.h chooses between them; what they have in
 * common is here: the outcome of writes, how long is waited after one that failed, when the
 * sink ends or gives up.
 * Private to the sink's thread (collector/output/sink_thread.h), which alone calls these functions;
 * what other threads say to it and ask of it is marked.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/log/log.h"
#include "collector/output/sink_options.h"
#include "collector/output/sink_thread.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"

/* What the sink does with what it takes. */
enum sink_state {
    SINK_WRITING,
    SINK_ENDED,     /* the reader has gone: all fails with that reason */
    SINK_GIVING_UP, /* the deadline is over: all fails with that reason */
};

struct sink_writer;
struct spill;

/*
 * An operation that writes never waits. Where it would have to, it notes in `block` what for, and
 * returns false: it has stopped half-way. The sink's thread waits, or does something else
 * meanwhile, and calls the operation again, and no other one, until it returns true.
 */
struct sink_block {
    wait_handle handle; /* NO_HANDLE: for the time alone */
    bool want_write;
    int64_t until_ns; /* monotonic, at the latest; INT64_MAX: there is no such time */
};

struct sink_writer_ops {
    /*
     * Opens what the writer itself needs, before its destination is opened. Returns 0, or -1 with
     * `error` filled; it may be called again then, and after the destination was not opened. NULL:
     * it needs nothing.
     */
    int (*open)(struct sink_writer *writer, struct error *error);

    /*
     * Encodes a record; writes what is full. The state is SINK_WRITING. Where it stopped half-way
     * the record is taken, and put_on goes on.
     */
    bool (*put)(struct sink_writer *writer, const struct listener *listener,
                const struct record *record);
    bool (*put_on)(struct sink_writer *writer);

    /* The same for a datagram that could not be decoded. NULL: it takes none. */
    bool (*put_raw)(struct sink_writer *writer, const struct record *record);

    /*
     * The same for lines that are encoded already, from the record with this number on, which is
     * raised by those that are taken: at least one. After put_on it goes on with the next ones.
     * NULL: it shares no lines.
     */
    bool (*put_encoded)(struct sink_writer *writer, const struct encoded_batch *encoded,
                        size_t *next);

    /*
     * Called between two operations, whenever the thread comes round: something may have come in
     * from the destination, which has signalled the wake-up then. NULL: nothing does.
     */
    void (*catch_up)(struct sink_writer *writer);

    /* Whether there is something that need not wait for more to come. */
    bool (*has_work)(const struct sink_writer *writer);

    /* Writes all there is; what is left when the deadline is over fails. May stop half-way. */
    bool (*flush)(struct sink_writer *writer);

    /*
     * When the next thing is due (monotonic), INT64_MAX: nothing is; and doing what is due, which
     * may stop half-way.
     */
    int64_t (*due)(const struct sink_writer *writer);
    bool (*serve)(struct sink_writer *writer, int64_t now_ns);

    /* After a flush: opens the destination anew. It may have done so in the flush. */
    void (*reopen)(struct sink_writer *writer);

    /* After the last flush; it waits by itself. NULL: there is nothing to be done then. */
    void (*finish)(struct sink_writer *writer);

    /* What to watch for a reader that goes, or NO_HANDLE; what to do when it has (NULL: it is none)
     */
    wait_handle (*handle)(const struct sink_writer *writer);
    void (*broken)(struct sink_writer *writer);

    /* Frees what is the implementation's own, and the writer. */
    void (*destroy)(struct sink_writer *writer);
};

/* Every implementation begins with this. */
struct sink_writer {
    const struct sink_writer_ops *ops;
    struct sink_thread_options options;
    struct destination *destination;
    struct encoder *encoder;
    struct encoding_member *shared; /* of a group of encoders; NULL: of none */
    struct output head;             /* what a file begins with */
    char head_text[ENCODER_HEAD_SIZE];
    enum sink_state state;
    size_t unpublished;  /* records whose fate is known, not yet taken off in_flight */
    bool stores;         /* what is not written by the deadline lies on disk, and fails only where
                            it cannot */
    bool failing;        /* the last write failed, or the far end did not take it */
    bool cannot_write;   /* the system refused the last write: what is left at the deadline is an
                            io_error. A far end that is slow or away at the deadline is none */
    bool unattended;     /* the command that reads is not there */
    bool failure_logged; /* in the log, and not yet that it writes again */
    int pause_ms;        /* before the next try */
    bool pausing;        /* a failed destination is left alone until block.until_ns */
    bool made_room;      /* the last wait ended because room was wanted in a queue */
    struct sink_block block;
    int64_t calm_ns; /* monotonic: a failure from then on begins with the first pause */
    struct log_limit write_log, wait_log;
    int64_t write_begun_ns; /* monotonic, of what is being written */
    bool waited;            /* since the destination last took something */
    unsigned spurious;      /* waits in a row that found it ready, after which it took nothing */
    struct wakeup *wakeup;

    /*
     * Of the same folder as this sink's, open and between two sinks: the main thread's, once the
     * sink's thread is joined, and before it starts. NULL: there is none.
     */
    struct spill *open_spill;

    struct heartbeat *heartbeat; /* of the thread */

    /* Said across threads. */
    struct deadline deadline;
    _Atomic bool ended;
    _Atomic bool reopen_wanted;
    _Atomic bool leaves_spill_open; /* at its end: another sink is to have it */
    _Atomic int64_t delay_ns;       /* as of sink_thread_delay_ns */
    _Atomic int64_t waits_since_ns; /* as in struct sink_condition */
    _Atomic int64_t fails_since_ns;
    _Atomic int64_t oldest_ns;
    _Atomic uint64_t spill_bytes;
    _Atomic uint64_t spill_kept;
    _Atomic int64_t spill_full_ns;
};

/*
 * Completes what an implementation has made: it writes once sink_writer_open has opened its
 * destination. Both return 0, or -1 with `error` filled. sink_writer_destroy closes and frees all;
 * NULL is allowed.
 */
int sink_writer_init(struct sink_writer *writer, const struct sink_thread_options *options,
                     struct error *error);
int sink_writer_open(struct sink_writer *writer, struct error *error);

/* What the destination is may have changed since it was opened: its delay is noted anew. */
void sink_writer_note_delay(struct sink_writer *writer);

void sink_writer_destroy(struct sink_writer *writer);

/* --- for implementations ---------------------------------------------------------------------- */

/* When records that are collected since `since_ns` are due; INT64_MAX: they need not be. */
int64_t sink_writer_collected_until(const struct sink_writer *writer, int64_t since_ns);

/*
 * Appends the record's lines to `out`. Returns false, `out` as it was, where it leaves none or is
 * too large: its fate is counted then.
 */
bool sink_writer_encode(struct sink_writer *writer, const struct listener *listener,
                        const struct record *record, struct output *out, struct encoded *encoded);

/* Counts a record that leaves no lines. */
void sink_writer_count_filtered(struct sink_writer *writer, const struct record *record);

/* Counts `records` as written, with what was in them. */
void sink_writer_count_written(struct sink_writer *writer, size_t records,
                               const struct encoded *sum);

/* Counts `records` as evicted: they were in a queue and never here. */
void sink_writer_count_evicted(struct sink_writer *writer, size_t records);

/* Counts `records` as failed, for the reason that the writer's state gives. */
void sink_writer_count_failed(struct sink_writer *writer, size_t records);

/* The same, for this reason. */
void sink_writer_count_failed_by(struct sink_writer *writer, enum record_failure reason,
                                 size_t records);

/* Counts `records` as unknown: nobody can know whether the far end has them, or will get them. */
void sink_writer_count_unknown(struct sink_writer *writer, size_t records);

/* So many records are not in flight any more, or are again: they lie on disk, or come from there.
 */
void sink_writer_note_spilled(struct sink_writer *writer, size_t records);
void sink_writer_note_unspilled(struct sink_writer *writer, size_t records);

/* Counts so many datagrams that could not be decoded, and that are not passed on. */
void sink_writer_count_raw_refused(struct sink_writer *writer, size_t datagrams);

/* In flight is shared with the receivers, so it is lowered once a block and not once a record. */
void sink_writer_publish(struct sink_writer *writer);

/*
 * Notes what an operation would have to wait for. Returns false, for the operation to return. A
 * destination that takes nothing, again and again, although the system says that it would, is left
 * alone for a while instead.
 */
bool sink_writer_block(struct sink_writer *writer, wait_handle handle, bool want_write,
                       int64_t until_ns);

/* That wait has ended, for this reason. */
void sink_writer_note_wait(struct sink_writer *writer, enum wakeup_reason reason);

/* Logs a wait that the system failed; the caller goes on as after a timeout. */
void sink_writer_report_wait(struct sink_writer *writer, enum wakeup_reason reason);

/*
 * Between these two stands all that is done to get a block out, with its waits and retries; `out`:
 * it is. Others see meanwhile since when the destination has taken nothing.
 */
void sink_writer_begin_block(struct sink_writer *writer);
void sink_writer_end_block(struct sink_writer *writer, bool out);

/*
 * Around each call that the system may keep for as long as a disk does: whoever looks whether the
 * thread comes round (collector/base/heartbeat.h) does not count that against it.
 */
void sink_writer_begin_io(struct sink_writer *writer);
void sink_writer_end_io(struct sink_writer *writer);

/* A write was accepted. */
void sink_writer_note_success(struct sink_writer *writer);

/* What was written was not accepted, and is not tried again. */
void sink_writer_note_failure(struct sink_writer *writer);

/* The same, and it is tried again: counts and logs it. */
void sink_writer_note_retry(struct sink_writer *writer, const struct error *error);

/* Whether the command that reads is there. */
void sink_writer_note_reader(struct sink_writer *writer, bool there);

/*
 * A write failed: counts and logs it, and blocks for a time that grows. sink_writer_has_paused
 * returns whether that is over, for whoever goes on; where it is not it blocks again.
 */
void sink_writer_pause(struct sink_writer *writer, const struct error *error);
bool sink_writer_has_paused(struct sink_writer *writer);

/* The reader has gone: the sink ends. */
void sink_writer_end(struct sink_writer *writer);

/* Whether it still writes; gives up where the deadline is over, unless it stores what is left. */
bool sink_writer_goes_on(struct sink_writer *writer);

#endif
