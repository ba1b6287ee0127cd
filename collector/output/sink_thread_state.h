/*
 * The state of a sink and its thread, for the files that implement it. Each file uses only those
 * above it:
 *
 *   sink_options.c      facts that follow from a sink's options
 *   sink_kind.c         which writer a sink has
 *   sink_queues.c       a sink's queues
 *   sink_thread_wait.c  how the thread sleeps, and how other threads wake it
 *   sink_thread_loop.c  the thread's work, step by step, until its end
 *   sink_thread_host.c  the same work in quanta, in the thread of a host
 *   sink_thread_view.c  what other threads may read of a sink
 *   sink_thread.c       creates, opens, starts, joins and destroys a sink
 *
 * Ownership. The main thread owns all members until the start and after the join. In between the
 * sink's thread (its own, or the host's) owns the writer, with its destination, and the members
 * marked so below. Other threads use the atomic members, and those of the writer that sink_writer.h
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

/* How long a sink with a host pauses at first when its destination blocks. */
#define SINK_FIRST_RETRY_NS INT64_C(1000000)

struct sink_thread {
    struct sink_writer *writer;
    struct sink_queues queues;
    struct heartbeat heartbeat; /* used if the sink has its own thread */

    /* Written only by the main thread; other threads read them after the start. */
    struct thread *thread;
    struct sink_host host;
    bool hosted;
    bool started;            /* set by sink_thread_start, also for a sink that runs in its host's
                                thread */
    uint64_t heartbeat_seen; /* only the main thread uses this */

    /* Only the sink's thread uses these. */
    struct rule_owner owner;
    bool stepped; /* the first step has begun */
    enum unfinished unfinished;
    struct taken_batch taken; /* the batch that is being written, if `unfinished` is
                                 UNFINISHED_BATCH */
    struct log_limit eviction_log;
    uint64_t evicted; /* records evicted since the last line in the log */
    int64_t looks_ns; /* with a host: when the sink checks its reader next */
    int64_t retry_ns; /* with a host: the pause after the destination blocked */

    /* Used by several threads. */
    _Atomic bool sleeping; /* set by the sink's thread; cleared by this thread or by its waker */
    _Atomic bool finished; /* set once, by the sink's thread */
};

/* --- sink_thread_wait.c ----------------------------------------------------------------------- */

/* Sleeps until there is work, or until something is due (monotonic). */
void sink_thread_sleep(struct sink_thread *sink, int64_t due_ns);

/* Waits for what the writer's `block` says. */
void sink_thread_wait_blocked(struct sink_thread *sink);

/* --- sink_thread_loop.c ----------------------------------------------------------------------- */

enum sink_step {
    STEP_TAKEN,
    STEP_NONE,    /* there is no work */
    STEP_BLOCKED, /* the step stopped half-way; the writer's `block` says what it waits for */
    STEP_END,     /* all queues are closed and empty */
};

/* Does the next piece of work. For STEP_NONE, *due is when there will be work. */
enum sink_step sink_thread_step(struct sink_thread *sink, int64_t *due);

/* Evicts if producers asked for room. Called after a wait for the destination. */
void sink_thread_evict_after_wait(struct sink_thread *sink);

/* Takes steps until the end, waits between them, and finishes. */
void sink_thread_run(struct sink_thread *sink);

#endif
