/*
 * The data that the ingests of one receiving thread share: the pool of batches, the fan-out to the
 * sinks, the senders' sequence numbers, the counters, and the shared batches.
 *
 * The thread owns all of this except the pool and the fan-out.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INGEST_THREAD_H
#define SLUICE_COLLECTOR_RECEIVE_INGEST_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/output/fan_out.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/open_batch.h"
#include "collector/record/batch.h"
#include "collector/senders/sequence_queue.h"
#include "collector/senders/traffic.h"

/*
 * The upper limit of shared batches that are open at a time. Each has a different list of schemas.
 */
#define INGEST_SHARED 4

struct ingest_thread {
    struct batch_pool *pool;
    struct fan_out *fan_out;
    struct sequence_queue numbers;
    struct ingest_counters **counters; /* the thread's own blocks, by the listener's index */
    struct traffic_table *traffic;     /* the busiest senders; NULL if they are not recorded */
    struct thread_measures *measures;  /* the thread's own */
    bool lossless; /* no datagram may be lost: the thread waits for free batches and for room in the
                    * queues */
    int64_t short_since_ns; /* monotonic time since which the system has refused memory pages for a
                             * batch; 0 if it has not */
    struct dead_letter_queue *dead_letters; /* queue of this thread's dead letters; NULL if none are
                                             * kept */
    bool shares; /* ingests may share batches, because no other thread uses the fan-out */
    struct open_batch shared[INGEST_SHARED];
};

/*
 * Closes the thread's queue of dead letters. Call this after the thread has handled its last
 * datagram.
 */
void ingest_thread_close(struct ingest_thread *thread);

/*
 * Counts the sequence numbers of the datagrams handled so far; handling a datagram only queues
 * them. Call this soon afterwards, and before another thread may handle later datagrams of the same
 * socket, so that numbers are counted in order.
 */
void ingest_thread_commit(struct ingest_thread *thread);

/*
 * Seals the shared batches if the sinks are idle. Call this when all sockets of the thread are
 * drained. `next_ns` is the time at which the thread will drain its sockets again: after a pause,
 * or `now_ns` without a pause. Without a pause all shared batches are sealed. With a pause, a batch
 * stays open if at its end it will have been open for less than INGEST_DELAY_NS. Both times are
 * monotonic.
 */
void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns);

/*
 * Seals the shared batches that have been open for too long. Returns the time (monotonic) at which
 * the next batch must be sealed, or INT64_MAX. The age of a batch opened since the last call begins
 * at `now_ns`.
 */
int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns);

/* Hands the shared batches to the sinks. */
void ingest_thread_seal(struct ingest_thread *thread);

#endif
