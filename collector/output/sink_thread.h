/*
 * Runs a sink, usually in a thread of its own. The thread takes batches from its queues in turn,
 * encodes their records into a block, and writes the block when it is full, when the queues are
 * empty, or when flush_interval has passed.
 *
 * Lifecycle: create; sink_thread_add_queue for each producer; open; start; the producers close
 * their queues; join (sink_thread_stop sets a deadline first); destroy.
 *
 * The thread never blocks in a write to a pipe, so it also notices a reader that closes the pipe
 * while there is no traffic. While the destination accepts no data, the queues fill, and then
 * refuse batches. After a failure the destination is tried again at growing intervals. When its
 * reader has gone the sink ends, and later batches are refused.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/contract/delivery_figures.h"
#include "collector/contract/destination.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/batch_queue.h"
#include "collector/series/series_guard.h"

struct sink_thread;

/* The maximum number of bytes of an encoded record, unless longer messages are allowed. */
#define SINK_RECORD_SIZE ((size_t)1024 * 1024)

struct sink_thread_options {
    const char *name; /* for the log; the caller owns it, and it outlives the sink */
    const struct destination_ops *destination;
    const char *path;                     /* the destination's path; outlives the sink */
    const struct sink_settings *settings; /* outlive the sink */
    struct disk_reserve reserve;          /* as in struct destination_options */
    bool written;                         /* as in struct destination_options */
    bool drops_oldest;         /* a delivery removes its oldest records from a full spill */
    size_t record_size;        /* the maximum number of bytes of an encoded record; 0: the
                                  default */
    uint64_t stall_timeout_ns; /* --stall-timeout: when a destination that does not answer counts
                                  as silent; also as in struct destination_options */
    struct sink_counters *counters;

    /*
     * Called from the sink's thread when sink_thread_has_ended or sink_thread_has_finished begins
     * to return true. NULL is allowed.
     */
    void (*ended)(void *context);
    void *ended_context;

    /* For tests that need a slow sink: called before each write. Otherwise NULL. */
    void (*before_write)(void *context);
    void *hook_context;
};

/*
 * Fills *bytes with the memory that a sink with these options allocates: its blocks, its encoder
 * and its destination. Uses the options destination, path, settings and record_size. Returns false
 * if memory is short.
 */
bool sink_thread_memory(const struct sink_thread_options *options, size_t *bytes);

/*
 * Checks that the destination could be opened. Creates and changes nothing. Returns 0, or -1 with
 * `error` filled.
 */
int sink_thread_check(const struct sink_thread_options *options, struct error *error);

/* Creates the sink's spill, if it has one, before it is opened, as delivery_spill_make does. */
int sink_thread_make_spill(const struct sink_thread_options *options, struct error *error);

/* Tries the far end of a destination that has the operation, as destination_ops.probe does. */
void sink_thread_probe(const struct sink_thread_options *options, int64_t timeout_ns,
                       struct error *said);

/* Returns true if the destination also opens files while it writes, not only when it is opened. */
bool sink_thread_opens_later(const struct sink_thread_options *options);

/* Returns 0, or -1 with `error` filled. */
int sink_thread_create(struct sink_thread **out, const struct sink_thread_options *options,
                       struct error *error);

/*
 * Opens the destination before the start. Producers may have filled the queues already. Returns 0,
 * or -1 with `error` filled; the caller can then try again. Has no effect if the destination is
 * open.
 */
int sink_thread_open(struct sink_thread *sink, struct error *error);

/*
 * Counts all queued records as failed with io_error. Called instead of open and start, after the
 * producers have closed their queues.
 */
void sink_thread_give_up(struct sink_thread *sink);

/*
 * Adds a queue of `capacity` batches between this sink and one producer. `listeners` is one more
 * than the highest index of the listeners that feed it; `shared` is true if there are several of
 * them. The sink owns the queue. Main thread; after the start only while another queue of the sink
 * is open. Returns NULL if memory is short.
 */
struct batch_queue *sink_thread_add_queue(struct sink_thread *sink, size_t capacity,
                                          size_t listeners, bool shared);

/* The thread that runs a sink without a thread of its own. */
struct sink_host {
    /* Any thread: requests that sink_thread_run_quantum is called soon. */
    void (*wake)(void *context);
    void *context;
    struct heartbeat *heartbeat; /* the heartbeat of the host's thread, which the sink uses */
};

/* Gives the sink this host. Must be called before the start. */
void sink_thread_set_host(struct sink_thread *sink, const struct sink_host *host);

/*
 * Any thread: returns how late a record of an open sink may be written, in nanoseconds. If
 * flush_interval= is set, returns it, but at most SINK_DELAY_MOST_NS. Otherwise returns 0 for a
 * terminal, SINK_DELAY_PIPE_NS for a pipe, a command or a relay, and SINK_DELAY_MOST_NS for files
 * and deliveries. Returns 0 before the sink has begun.
 */
#define SINK_DELAY_PIPE_NS INT64_C(1000000)
#define SINK_DELAY_MOST_NS INT64_C(50000000)
int64_t sink_thread_delay_ns(const struct sink_thread *sink);

/*
 * For tests, before sinks are opened: replaces SINK_DELAY_MOST_NS, in nanoseconds. A busy machine
 * may need longer between two steps of a test.
 */
void sink_thread_set_delay_most(int64_t delay_ns);

/*
 * Starts an open sink. Returns 0, or -1 with `error` filled; the caller can then try again, or give
 * the sink up. With a host no thread is started.
 */
int sink_thread_start(struct sink_thread *sink, struct error *error);

/*
 * Host: writes queued records for about SINK_QUANTUM_NS. Continues longer while more than the
 * fraction SINK_QUANTUM_LEAVES of the queue is filled; the host does not receive in that time, and
 * datagrams wait in the kernel's buffer. Never waits: when the destination accepts no more, the
 * sink stops half-way, and the next quantum continues. Returns when the next quantum is due
 * (monotonic): in the past if there is more to write, INT64_MAX if no quantum is due.
 */
#define SINK_QUANTUM_NS     INT64_C(2000000)
#define SINK_QUANTUM_LEAVES 0.125
int64_t sink_thread_run_quantum(struct sink_thread *sink);

/*
 * Host, after it has closed the queue: writes all remaining records, and waits as a sink's thread
 * would.
 */
void sink_thread_finish(struct sink_thread *sink);

/* Producer, after each push and after closing its queue: wakes the sink if it sleeps. */
void sink_thread_notify(struct sink_thread *sink);

/*
 * Producer, when batch_queue_want_room returns true: makes the sink evict batches from that queue
 * as soon as possible, also while the sink waits in a write. Batches that the sink already took out
 * of the queue are not evicted.
 */
void sink_thread_make_room(struct sink_thread *sink);

/* Any thread: returns true if the sink has ended by itself and takes no more batches. */
bool sink_thread_has_ended(const struct sink_thread *sink);

/*
 * Any thread, but for a sink with a host only the host: returns true if the sink waits for work.
 * This is a hint: it is also true while the sink checks its queues before it sleeps.
 */
bool sink_thread_is_idle(const struct sink_thread *sink);

/*
 * The condition of a sink's destination. Times are monotonic; a time is 0 if its condition does not
 * hold.
 */
struct sink_condition {
    bool ended;             /* as sink_thread_has_ended */
    int64_t waits_since_ns; /* since when the destination has accepted no byte of the current
                               block */
    int64_t fails_since_ns; /* since when writes fail and are tried again, or the command is not
                               running */
    bool in_outage;         /* there is an outage, whose log lines count the lost records */
    int64_t oldest_ns;      /* for a delivery: since when the oldest record waits for its answer */
    uint64_t spill_bytes;   /* bytes in the sink's spill */
    uint64_t spill_size; /* the maximum number of bytes in the spill; 0 if the sink has no spill */
    uint64_t spill_kept; /* records in the spill that this sink cannot send (delivery_label.h) */
    int64_t spill_full_ns; /* since when records cannot be stored in the spill */
};

/* Any thread. */
struct sink_condition sink_thread_condition(const struct sink_thread *sink);

/* Any thread: copies the reason why the sink's last write failed, or "" if there is no outage. */
#define SINK_REASON_SIZE ((size_t)256)
void sink_thread_copy_reason(const struct sink_thread *sink, char reason[SINK_REASON_SIZE]);

/* The most recent outage of a sink that is already over. */
struct sink_past {
    char reason[SINK_REASON_SIZE]; /* reason of the outage's last failure */
    int64_t since_ns, until_ns;    /* its first failure and its end (monotonic); 0 if there was
                                      no outage yet */
};

/* Any thread. */
void sink_thread_copy_past(const struct sink_thread *sink, struct sink_past *past);

/* Any thread: notes records that a queue of the sink refused, for the log of an outage. */
void sink_thread_note_refused(struct sink_thread *sink, enum record_refusal reason,
                              uint64_t records);

/*
 * Main thread: adds the figures of the destination's connections and requests, if the destination
 * is open and has such figures.
 */
void sink_thread_add_figures(const struct sink_thread *sink, struct delivery_figure_totals *totals);

/*
 * Any thread: fills the report of the sink's limits of series and times. Returns false if the sink
 * has no such limits.
 */
bool sink_thread_read_series(const struct sink_thread *sink, struct series_report *report);

/* The batches in all queues of a sink, and the capacity of these queues. */
struct queue_levels {
    size_t batches, batches_most;
    size_t large, large_most; /* large batches among these, and their capacity */
    double fill;              /* fill of the fullest queue, as batch_queue_fill */
};

/* Only for the thread that adds queues. The levels may be out of date. */
struct queue_levels sink_thread_queue_levels(const struct sink_thread *sink);

/*
 * Main thread: returns true if the sink waits (for work, or for its destination, however long), or
 * has begun a step since the last call. Always returns true for a sink with a host, because the
 * host is checked instead.
 */
bool sink_thread_is_alive(struct sink_thread *sink);

/*
 * Any thread: opens the destination again under its name, between two records. Records that were
 * taken before are written to the old file. If it does not accept them, the remaining records are
 * written to the new file.
 */
void sink_thread_reopen(struct sink_thread *sink);

/*
 * Any thread: like sink_thread_reopen, but only for a destination that is one file under a fixed
 * name. Opens a new file if the open one was moved away; otherwise changes nothing. Does not rotate
 * files and does not restart commands. The destination must be open.
 */
void sink_thread_reopen_moved(struct sink_thread *sink);

/*
 * Sets a deadline. The producers have closed their queues, or will do so soon. Records
 * that are unwritten at `deadline_ns` (monotonic) are given up. A later call can only bring the
 * deadline forward.
 */
void sink_thread_stop(struct sink_thread *sink, int64_t deadline_ns);

/*
 * Main thread: two steps that pass the spill of a sink that ends to another sink. Call the first
 * function before the stop: the sink then leaves the spill open, with its lock, when it ends. Call
 * the second function after the join and before the other sink is opened: it hands over the open
 * spill. If no spill was left open, the other sink opens the folder itself.
 */
void sink_thread_leave_spill_open(struct sink_thread *sink);
void sink_thread_hand_spill_over(struct sink_thread *from, struct sink_thread *to);

/* Any thread: returns true if the sink's thread has finished its work. */
bool sink_thread_has_finished(const struct sink_thread *sink);

/* Waits for the thread's end. */
void sink_thread_join(struct sink_thread *sink);

/*
 * Frees the sink and closes the destination, after the join or instead of the start. NULL is
 * allowed.
 */
void sink_thread_destroy(struct sink_thread *sink);

#endif
