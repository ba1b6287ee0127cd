/*
 * Encodes the records that a sink's thread takes, passes the bytes to the destination, and counts
 * the outcome of each record.
 *
 * There is one implementation for each kind of destination: stream_writer.h, file_set_writer.h,
 * relay_writer.h and delivery_writer.h; sink_kind.h chooses one. This file has the code that they
 * share: the outcome of writes, the pauses after failures, and when the sink ends or gives up. Only
 * the sink's thread (collector/output/sink_thread.h) calls these functions. Members that other
 * threads use are marked.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/log/log.h"
#include "collector/output/sink_options.h"
#include "collector/output/sink_outage.h"
#include "collector/output/sink_series.h"
#include "collector/output/sink_thread.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"

/* Size in bytes of a text that describes where records wait. */
#define SINK_WAITING_SIZE 160

/* The state of a sink determines the outcome of the records that it takes from its queues. */
enum sink_state {
    SINK_WRITING,
    SINK_ENDED,     /* the reader has gone: all records fail with the reason for that */
    SINK_GIVING_UP, /* the deadline has passed: all records fail with the reason for that */
};

struct sink_writer;
struct spill;

/*
 * An operation that writes never waits. If it would have to wait, it describes the wait in `block`
 * and returns false: it has stopped half-way. The sink's thread waits, or does other work in that
 * time. It then calls the same operation again, and no other operation, until it returns true.
 */
struct sink_block {
    wait_handle handle; /* NO_HANDLE: only the time ends the wait */
    bool want_write;
    int64_t until_ns; /* the end of the wait (monotonic); INT64_MAX means no limit */
};

struct sink_writer_ops {
    /*
     * Opens what the writer itself needs, before its destination is opened. Returns 0, or -1 with
     * `error` filled. It may be called again after it failed, or after opening the destination
     * failed. NULL if not needed.
     */
    int (*open)(struct sink_writer *writer, struct error *error);

    /*
     * Encodes a record, and writes a block that is full. Called only in the state SINK_WRITING. If
     * `put` stops half-way, it has taken the record, and put_on continues.
     */
    bool (*put)(struct sink_writer *writer, const struct listener *listener,
                const struct record *record);
    bool (*put_on)(struct sink_writer *writer);

    /*
     * Like put, for a datagram that could not be decoded. NULL if the writer does not take such
     * datagrams.
     */
    bool (*put_raw)(struct sink_writer *writer, const struct record *record);

    /*
     * Receives answers of the destination, which signals the wake-up when it has one. Called each
     * time the thread begins a step, between two operations. NULL if the destination never answers.
     */
    void (*catch_up)(struct sink_writer *writer);

    /* Returns true if collected records should be written now, without waiting for more. */
    bool (*has_work)(const struct sink_writer *writer);

    /*
     * Writes all collected records. Records that are left when the deadline has passed fail. May
     * stop half-way.
     */
    bool (*flush)(struct sink_writer *writer);

    /*
     * Returns when serve must be called (monotonic), or INT64_MAX if it need not be called. serve
     * may stop half-way.
     */
    int64_t (*due)(const struct sink_writer *writer);
    bool (*serve)(struct sink_writer *writer, int64_t now_ns);

    /* Called after a flush: opens the destination again, unless the flush did so. */
    void (*reopen)(struct sink_writer *writer);

    /* Called after the last flush. May wait. NULL if not needed. */
    void (*finish)(struct sink_writer *writer);

    /*
     * handle returns the handle to watch for a reader that closes it, or NO_HANDLE. broken is
     * called when that has happened; it is NULL if there is never a handle.
     */
    wait_handle (*handle)(const struct sink_writer *writer);
    void (*broken)(struct sink_writer *writer);

    /*
     * Writes the end of a log line about an outage, about where records wait: "; records wait ...".
     * NULL if the line has no such end, because records wait in the queues.
     */
    void (*describe_waiting)(const struct sink_writer *writer, char text[SINK_WAITING_SIZE]);

    /* Frees the members of the implementation, and the writer. */
    void (*destroy)(struct sink_writer *writer);
};

/* The first member of every implementation. */
struct sink_writer {
    const struct sink_writer_ops *ops;
    struct sink_thread_options options;
    struct destination *destination;
    struct encoder *encoder;
    struct sink_series series; /* the encoder uses its guard; other threads may read the guard */
    struct output head;        /* the bytes with which a file begins */
    char head_text[ENCODER_HEAD_SIZE];
    enum sink_state state;
    size_t unpublished; /* number of records that have an outcome, but were not yet subtracted from
                         * in_flight */
    bool stores;  /* true: records that are unwritten at the deadline are stored on disk. They fail
                   * only if they cannot be stored. */
    bool failing; /* the last write failed, or the far end did not accept it */
    bool cannot_write;  /* the system refused the last write, so records that are left at the
                         * deadline fail with io_error. Not set if the far end is slow or
                         * unreachable. */
    bool unattended;    /* the sink is a command that is not running */
    bool rules_settled; /* true: the sample rules have passed a record, or the hint that they leave
                           out every record was logged */
    int64_t rules_since_ns; /* when the rules left out the first record (monotonic); 0: none yet */
    int pause_ms;           /* the pause before the next try, in milliseconds */
    bool pausing;           /* after a failure no write is tried before block.until_ns */
    bool made_room;         /* the last wait ended because a producer needed room in a queue */
    struct sink_block block;
    int64_t calm_ns; /* after this time (monotonic) the next failure gets the shortest pause
                      * again */
    struct sink_outage outage;
    struct log_limit wait_log;
    int64_t write_begun_ns; /* when writing the current block began (monotonic) */
    bool waited;            /* a wait has begun since bytes were last accepted */
    unsigned spurious; /* number of waits in a row that reported a writable handle to which no byte
                        * could be written */
    struct wakeup *wakeup;

    /*
     * An open spill that is passed from an earlier sink to this one, or NULL. The main thread owns
     * it from the join of the earlier sink's thread until the start of this sink's thread.
     */
    struct spill *open_spill;

    struct heartbeat *heartbeat; /* heartbeat of the thread */

    /* Several threads use these. */
    struct deadline deadline;
    _Atomic bool ended;
    _Atomic bool reopen_wanted;
    _Atomic bool leaves_spill_open; /* when the sink ends it leaves the spill open, because
                                       another sink takes it over */
    _Atomic int64_t delay_ns;       /* as sink_thread_delay_ns */
    _Atomic int64_t waits_since_ns; /* as in struct sink_condition */
    _Atomic int64_t fails_since_ns;
    _Atomic int64_t oldest_ns;
    _Atomic uint64_t spill_bytes;
    _Atomic uint64_t spill_kept;
    _Atomic int64_t spill_full_ns;
};

/*
 * sink_writer_init completes the writer that an implementation has allocated. sink_writer_open
 * opens its destination, after which the writer can write. Both return 0, or -1 with `error`
 * filled. sink_writer_destroy closes and frees everything; NULL is allowed.
 */
int sink_writer_init(struct sink_writer *writer, const struct sink_thread_options *options,
                     struct error *error);
int sink_writer_open(struct sink_writer *writer, struct error *error);

/* Updates delay_ns, because a reopened destination may be of another kind. */
void sink_writer_note_delay(struct sink_writer *writer);

void sink_writer_destroy(struct sink_writer *writer);

/* --- for implementations of writers ----------------------------------------------------------- */

/*
 * Returns when records that are collected since `since_ns` must be written, or INT64_MAX if there
 * is no limit.
 */
int64_t sink_writer_collected_until(const struct sink_writer *writer, int64_t since_ns);

/*
 * Appends the record's lines to `out`. Returns false with `out` unchanged if the record has no
 * lines or is too large; its outcome is then counted.
 */
bool sink_writer_encode(struct sink_writer *writer, const struct listener *listener,
                        const struct record *record, struct output *out, struct encoded *encoded);

/* Counts a record that has no lines. */
void sink_writer_count_filtered(struct sink_writer *writer, const struct record *record);

/* Counts `records` as written, with the sum of their counts. */
void sink_writer_count_written(struct sink_writer *writer, size_t records,
                               const struct encoded *sum);

/* Counts `records` as evicted from a queue. */
void sink_writer_count_evicted(struct sink_writer *writer, size_t records);

/* Counts `records` as failed, with the reason that the writer's state implies. */
void sink_writer_count_failed(struct sink_writer *writer, size_t records);

/* Counts `records` as failed, with this reason. */
void sink_writer_count_failed_by(struct sink_writer *writer, enum record_failure reason,
                                 size_t records);

/* Counts `records` as unknown: the far end may have them or not. */
void sink_writer_count_unknown(struct sink_writer *writer, size_t records);

/* Removes records from in_flight because they are only on disk, or adds them again. */
void sink_writer_note_spilled(struct sink_writer *writer, size_t records);
void sink_writer_note_unspilled(struct sink_writer *writer, size_t records);

/* Counts undecoded datagrams that are not passed on. */
void sink_writer_count_raw_refused(struct sink_writer *writer, size_t datagrams);

/*
 * Subtracts the records with an outcome from in_flight. Receivers share that counter, so this is
 * called once for each block, and not for each record.
 */
void sink_writer_publish(struct sink_writer *writer);

/*
 * Sets `block` to the event that the operation has to wait for. Returns false, for the operation to
 * return. If the destination was reported writable several times in a row and accepted no byte,
 * sets a pause instead.
 */
bool sink_writer_block(struct sink_writer *writer, wait_handle handle, bool want_write,
                       int64_t until_ns);

/* Notes the reason why the wait has ended. */
void sink_writer_note_wait(struct sink_writer *writer, enum wakeup_reason reason);

/* Logs a failed wait; the caller continues as after a timeout. */
void sink_writer_report_wait(struct sink_writer *writer, enum wakeup_reason reason);

/*
 * Called before the first and after the last try to write a block. `out` is true if the block was
 * written. Between these calls, other threads see since when the destination has accepted no byte
 * of the block.
 */
void sink_writer_begin_block(struct sink_writer *writer);
void sink_writer_end_block(struct sink_writer *writer, bool out);

/*
 * Called before and after each call that may wait for a disk: while the disk is slow, the thread
 * does not count as stuck (collector/base/heartbeat.h).
 */
void sink_writer_begin_io(struct sink_writer *writer);
void sink_writer_end_io(struct sink_writer *writer);

/* Notes that a write was accepted. */
void sink_writer_note_success(struct sink_writer *writer);

/* Notes that a write was not accepted, and that it is not tried again. */
void sink_writer_note_failure(struct sink_writer *writer);

/* Counts and logs a write that was not accepted and is tried again. */
void sink_writer_note_retry(struct sink_writer *writer, const struct error *error);

/* Logs that the destination cannot be reached, as was noticed without a failed write. */
void sink_writer_note_outage(struct sink_writer *writer, const char *what);

/* Logs that the destination does not answer. */
void sink_writer_note_silence(struct sink_writer *writer, const char *what);

/* Notes that the destination can be reached again; no record waits for it. */
void sink_writer_note_return(struct sink_writer *writer);

/* Notes whether the command that reads the sink's output is running (`there`). */
void sink_writer_note_reader(struct sink_writer *writer, bool there);

/*
 * sink_writer_pause counts and logs a failed write, and blocks for a growing pause.
 * sink_writer_has_paused returns true if that pause has ended; otherwise the operation blocks
 * again.
 */
void sink_writer_pause(struct sink_writer *writer, const struct error *error);
bool sink_writer_has_paused(struct sink_writer *writer);

/* Ends the sink, because the reader has gone. */
void sink_writer_end(struct sink_writer *writer);

/*
 * Returns true if the writer still writes. Makes it give up when the deadline has passed, unless it
 * stores the remaining records.
 */
bool sink_writer_goes_on(struct sink_writer *writer);

#endif
