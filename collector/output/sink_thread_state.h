/*
 * The state of a sink and its thread, for the files that implement it. Each file uses only the
 * files above it:
 *
 *   sink_options.c      facts that follow from a sink's options
 *   sink_kind.c         chooses the writer of a sink
 *   sink_queues.c       the queues of a sink
 *   sink_thread_wait.c  sleeping, and waking by other threads
 *   sink_thread_loop.c  the thread's work, step by step, until its end
 *   sink_thread_host.c  the same work in quanta, in the thread of a host
 *   sink_thread_view.c  the state that other threads may read
 *   sink_thread.c       creates, opens, starts, joins and destroys a sink
 *
 * The main thread owns all members until the start and after the join. Between these, the sink's
 * thread (its own, or the host's) owns the writer, with its destination, and the members marked so
 * below. Other threads use the atomic members, and the members of the writer that sink_writer.h
 * marks.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_STATE_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_THREAD_STATE_H

#include <stdatomic.h>

#include "collector/base/rule.h"
#include "collector/output/sink_queues.h"
#include "collector/output/sink_thread.h"
#include "collector/output/sink_writer.h"
#include "collector/output/taken_batch.h"
#include "collector/platform/thread.h"

/* The operation that stopped half-way. It must be continued before any other. */
enum unfinished {
    UNFINISHED_NONE,
    UNFINISHED_REOPEN,
    UNFINISHED_SERVE,
    UNFINISHED_BATCH,
    UNFINISHED_FLUSH
};

/* Nanoseconds of the first pause of a sink with a host when its destination blocks. */
#define SINK_FIRST_RETRY_NS INT64_C(1000000)

struct sink_thread {
    struct sink_writer *writer;
    struct sink_queues queues;
    struct heartbeat heartbeat; /* used if the sink has its own thread */

    /* Written only by the main thread; other threads read them after the start. */
    struct thread *thread;
    struct sink_host host;
    bool hosted;
    bool started;            /* set by sink_thread_start, also for a sink with a host */
    uint64_t heartbeat_seen; /* only the main thread uses this */

    /* Only the sink's thread uses these. */
    struct rule_owner owner;
    bool stepped; /* the first step has begun */
    enum unfinished unfinished;
    struct taken_batch taken; /* the batch that is being written, if `unfinished` is
                                 UNFINISHED_BATCH */
    struct log_limit eviction_log;
    uint64_t evicted; /* records evicted since the last log line */
    int64_t looks_ns; /* with a host: when the sink checks its reader next (monotonic) */
    int64_t retry_ns; /* with a host: nanoseconds of the next pause when the destination blocks */

    /* Several threads use these. */
    _Atomic bool sleeping; /* set by the sink's thread; cleared by this thread or by the thread
                              that wakes it */
    _Atomic bool finished; /* set once, by the sink's thread */
};

/* --- sink_thread_wait.c ----------------------------------------------------------------------- */

/* Sleeps until there is work, or until something is due (monotonic). */
void sink_thread_sleep(struct sink_thread *sink, int64_t due_ns);

/* Waits for the event that the writer has described in `block`. */
void sink_thread_wait_blocked(struct sink_thread *sink);

/* --- sink_thread_loop.c ----------------------------------------------------------------------- */

enum sink_step {
    STEP_TAKEN,
    STEP_NONE,    /* there is no work */
    STEP_BLOCKED, /* the step stopped half-way; the writer's `block` describes the wait */
    STEP_END,     /* all queues are closed and empty */
};

/*
 * Does one step of the thread's work. For STEP_NONE, sets *due to the time of the next step
 * (monotonic).
 */
enum sink_step sink_thread_step(struct sink_thread *sink, int64_t *due);

/* Evicts batches if producers requested room. Called after a wait for the destination. */
void sink_thread_evict_after_wait(struct sink_thread *sink);

/* Executes steps until the end, waits between them, and finishes. */
void sink_thread_run(struct sink_thread *sink);

#endif
