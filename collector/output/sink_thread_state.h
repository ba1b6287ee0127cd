/*
 * The sink's thread, for the files that make it up. Each file uses those above it only:
 *
 *   sink_options.c      what follows from a sink's options, before there is a sink
 *   sink_kind.c         which writer a sink has
 *   sink_queues.c       its queues
 *   sink_thread_wait.c  how it sleeps, and how other threads wake it
 *   sink_thread_loop.c  what it does, step by step, until its end
 *   sink_thread_host.c  the same in quanta, in the thread of a host
 *   sink_thread_view.c  what other threads see of it
 *   sink_thread.c       makes, opens, starts, joins and destroys it
 *
 * Ownership. Until the start everything belongs to the main thread. From the start until the join
 * the writer, with its destination, and what is marked so below belong to the sink's thread: its
 * own, or the host's. Other threads use the atomic members, and of the writer those that
 * sink_writer.h names. After the join everything is the main thread's again.
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

/* What stopped half-way, and is gone on with before anything else. */
enum unfinished {
    UNFINISHED_NONE,
    UNFINISHED_REOPEN,
    UNFINISHED_SERVE,
    UNFINISHED_BATCH,
    UNFINISHED_FLUSH
};

/* How long a sink with a host that stopped half-way leaves its destination alone, at first. */
#define SINK_FIRST_RETRY_NS INT64_C(1000000)

struct sink_thread {
    struct sink_writer *writer;
    struct sink_queues queues;
    struct heartbeat heartbeat; /* where it has a thread of its own */

    /* The main thread's; the others read them after the start. */
    struct thread *thread;
    struct sink_host host;
    bool hosted;
    bool started;            /* by sink_thread_start, or left to the host */
    uint64_t heartbeat_seen; /* the main thread's alone */

    /* The sink's thread's. */
    struct rule_owner owner;
    bool stepped; /* the first step was taken */
    enum unfinished unfinished;
    struct taken_batch taken; /* UNFINISHED_BATCH: it */
    struct log_limit eviction_log;
    uint64_t evicted; /* records, since the last line in the log */
    int64_t looks_ns; /* at its reader, the next time, with a host */
    int64_t retry_ns; /* how long a blocked destination is left alone, with a host */

    /* Across threads. */
    _Atomic bool sleeping; /* set by the sink's thread; cleared by it or by its waker */
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
    STEP_NONE,    /* there is nothing to do */
    STEP_BLOCKED, /* it stopped half-way, for what the writer's `block` says */
    STEP_END,     /* nothing will come any more */
};

/* Does the next thing there is to do. Where there is none, *due is when something will be. */
enum sink_step sink_thread_step(struct sink_thread *sink, int64_t *due);

/* After a wait for what blocked: has the room that producers asked for made. */
void sink_thread_evict_after_wait(struct sink_thread *sink);

/* Takes all steps until the end, waiting between them, and ends. */
void sink_thread_run(struct sink_thread *sink);

#endif
