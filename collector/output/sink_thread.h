/*
 * One sink and the thread that runs it. The thread takes batches from its queues in turn, encodes
 * their records into a block, and writes the block when it is full, when the queues are empty, or
 * when flush_interval is over.
 *
 * Lifecycle: create; sink_thread_add_queue for each producer; open; start; the producers close
 * their queues; join (sink_thread_stop sets a deadline first); destroy. The thread never blocks in
 * a write to a pipe, so it notices a reader that closes the pipe without traffic; its queues fill
 * and refuse. After a failure the destination is tried again at growing intervals. When its reader
 * has gone the sink ends, and later batches are refused.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "collector/contract/delivery.h"
#include "collector/contract/delivery_figures.h"
#include "collector/contract/destination.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "collector/ledger/ledger.h"
#include "collector/output/encoding_group.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/batch_queue.h"

struct sink_thread;

/* The most bytes of an encoded record, unless longer messages are allowed. */
#define SINK_RECORD_SIZE ((size_t)1024 * 1024)

struct sink_thread_options {
    const char *name; /* for the log; the caller's, outlives the sink */
    const struct destination_ops *destination;
    const char *path; /* of the destination; outlives the sink */
    struct file_options file;
    struct relay_options relay;
    struct delivery_options delivery;
    struct http_options http;     /* its texts outlive the sink */
    struct client_tls tls;        /* the same */
    struct broker_options broker; /* the same */
    bool drops_oldest;            /* of what a delivery has on disk, where that is full */
    size_t record_size;           /* bytes that a record may have when it is written; 0: as usual */
    uint64_t flush_interval; /* nanoseconds that records may be collected for; 0: while more come */
    bool at_once;            /* no record may be late, whatever the destination is */
    uint64_t stall_timeout_ns; /* what a reader that is replaced gets to read the rest */
    const struct encoder_ops *encoder;
    struct encoder_options encoding;
    struct encoding_groups *encodings; /* where it may find its like; NULL: it encodes alone */
    struct sink_counters *counters;

    /*
     * Called from the sink's thread when sink_thread_has_ended or sink_thread_has_finished has
     * become true. NULL is allowed.
     */
    void (*ended)(void *context);
    void *ended_context;

    /* For tests that need a slow sink: called before each write, NULL otherwise. */
    void (*before_write)(void *context);
    void *hook_context;
};

/*
 * Fills *bytes with what such a sink allocates: its blocks, and what its encoder and its
 * destination work in. Of the options the destination, path, file, delivery and flush_interval
 * count. Returns false where memory is short.
 */
bool sink_thread_memory(const struct sink_thread_options *options, size_t *bytes);

/*
 * Whether two such sinks write the same lines, so that one encodes for both where they are given
 * the same groups. Of what that takes sink_thread_memory counts nothing (encoding_group_memory).
 */
bool sink_thread_same_lines(const struct sink_thread_options *a,
                            const struct sink_thread_options *b);

/*
 * Whether its destination would find what it needs to be opened; makes and changes nothing. Returns
 * 0, or -1 with `error` filled.
 */
int sink_thread_check(const struct sink_thread_options *options, struct error *error);

/* Makes the sink's spill, if it has one, before it is opened, as delivery_spill_make says. */
int sink_thread_make_spill(const struct sink_thread_options *options, struct error *error);

/* Tries the far end of a destination that has the operation, as destination_ops.probe says. */
void sink_thread_probe(const struct sink_thread_options *options, int64_t timeout_ns,
                       struct error *said);

/* Whether its destination opens files when it writes, and not only when it is opened. */
bool sink_thread_opens_later(const struct sink_thread_options *options);

/* Returns 0, or -1 with `error` filled. */
int sink_thread_create(struct sink_thread **out, const struct sink_thread_options *options,
                       struct error *error);

/*
 * Opens the destination: before the start, and perhaps long after producers have begun to fill the
 * queues. Returns 0, or -1 with `error` filled; then it may be tried again. One that is open stays
 * so.
 */
int sink_thread_open(struct sink_thread *sink, struct error *error);

/*
 * Instead of the open and the start, when the producers have closed their queues: all that is in
 * them fails as what a destination would not take.
 */
void sink_thread_give_up(struct sink_thread *sink);

/*
 * Adds a queue of `capacity` batches between this sink and one producer, fed by listeners of which
 * `listeners` is one more than the highest index, and `shared` says whether there are several. The
 * sink owns it. Main thread; once the sink has started only while another queue of it is open.
 * Returns NULL where memory is short.
 */
struct batch_queue *sink_thread_add_queue(struct sink_thread *sink, size_t capacity,
                                          size_t listeners, bool shared);

/* The thread that runs a sink which has none of its own. */
struct sink_host {
    /* Any thread: it is to call sink_thread_run_quantum soon. */
    void (*wake)(void *context);
    void *context;
    struct heartbeat *heartbeat; /* its thread's, which is the sink's then */
};

/* The sink is to have this host. Before the start. */
void sink_thread_set_host(struct sink_thread *sink, const struct sink_host *host);

/*
 * How late a record of an open sink may be, in nanoseconds: its flush_interval, where it has one,
 * SINK_DELAY_MOST_NS at most; else by its destination: a terminal's is not to be late at all, what
 * another program reads SINK_DELAY_PIPE_NS, what lies in a file SINK_DELAY_MOST_NS. Of one that has
 * not begun 0. Any thread.
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
 * Once it is open. Returns 0, or -1 with `error` filled: then it may be tried again, or given up.
 * With a host there is nothing to start.
 */
int sink_thread_start(struct sink_thread *sink, struct error *error);

/*
 * Host: writes what is queued, for about SINK_QUANTUM_NS, and however long it takes until no more
 * than SINK_QUANTUM_LEAVES of the queue is filled: what the host would receive meanwhile is better
 * off with the kernel. It never waits: where the destination takes no more it stops half-way, and
 * looks at that again in the next quantum. Returns when (monotonic) it wants the next quantum: in
 * the past where there is more to write, INT64_MAX where nothing is due.
 */
#define SINK_QUANTUM_NS     INT64_C(2000000)
#define SINK_QUANTUM_LEAVES 0.125
int64_t sink_thread_run_quantum(struct sink_thread *sink);

/* Host, when it has closed the queue: does all that is left, waiting as the thread would. */
void sink_thread_finish(struct sink_thread *sink);

/* Producer, after each push and after the close of its queue: wakes the sink if it sleeps. */
void sink_thread_notify(struct sink_thread *sink);

/*
 * Producer, when batch_queue_want_room says so: has the sink make room in that queue as soon as it
 * can, also while it waits within a write. What it has taken already it keeps.
 */
void sink_thread_make_room(struct sink_thread *sink);

/* Any thread: it has ended by itself and takes nothing more. */
bool sink_thread_has_ended(const struct sink_thread *sink);

/*
 * Any thread: the sink waits for work. A hint: it also says so for the moment in which the sink
 * looks into its queues once more.
 */
bool sink_thread_is_idle(const struct sink_thread *sink);

/* How it is with its destination; both times monotonic, 0: it is not so. */
struct sink_condition {
    bool ended;             /* as sink_thread_has_ended */
    int64_t waits_since_ns; /* nothing was taken since then of what is being written */
    int64_t fails_since_ns; /* writes fail since then and are tried again, or its command is away */
    int64_t oldest_ns;      /* of a delivery: since when the oldest record waits for its answer */
    uint64_t spill_bytes;   /* that lie in its spill */
    uint64_t spill_size;    /* that may lie there; 0: it has none */
    uint64_t spill_kept;    /* records there that it cannot send: delivery_label.h */
    int64_t spill_full_ns;  /* since then records cannot be stored there */
};

/* Any thread. */
struct sink_condition sink_thread_condition(const struct sink_thread *sink);

/*
 * Main thread: adds what its destination says of its connections and requests, if it is open and
 * says any of it.
 */
void sink_thread_add_figures(const struct sink_thread *sink, struct delivery_figure_totals *totals);

/* What waits in all of its queues, and how much they hold at most. */
struct queue_levels {
    size_t batches, batches_most;
    size_t large, large_most; /* of them, those that are large */
};

/* The thread that adds queues: a moment's picture. */
struct queue_levels sink_thread_queue_levels(const struct sink_thread *sink);

/*
 * Main thread: whether the sink waits, for work or for its destination (however long that takes),
 * or has come round since this was last asked. With a host it is the host's turn to say that.
 */
bool sink_thread_is_alive(struct sink_thread *sink);

/*
 * Any thread: open the destination anew under its name, between two records. What was taken before
 * goes to the old one; where that does not take it, what is left goes to the new one.
 */
void sink_thread_reopen(struct sink_thread *sink);

/*
 * The same for a destination that is one file under a fixed name: one that was moved away is left,
 * and otherwise nothing changes. Files that rotate are not cut, and commands are not started anew.
 * Once the destination is open.
 */
void sink_thread_reopen_moved(struct sink_thread *sink);

/*
 * The producers have closed their queues, or are about to: what is not written by `deadline_ns`
 * (monotonic) is given up. Calling it again brings the deadline forward, never back.
 */
void sink_thread_stop(struct sink_thread *sink, int64_t deadline_ns);

/*
 * Main thread, before the stop of a sink whose spill another one is to have: at its end it leaves
 * the spill open, with its lock. Once it is joined, and before the other one is opened, the second
 * gives it to that one; where none is left open, that one opens the folder itself.
 */
void sink_thread_leave_spill_open(struct sink_thread *sink);
void sink_thread_hand_spill_over(struct sink_thread *from, struct sink_thread *to);

/* Any thread: its thread has done all it will do. */
bool sink_thread_has_finished(const struct sink_thread *sink);

/* Waits for the thread's end and closes the destination. */
void sink_thread_join(struct sink_thread *sink);

/* Frees it, after the join or instead of the start. NULL is allowed. */
void sink_thread_destroy(struct sink_thread *sink);

#endif
