/*
 * The data that the ingests of one receiving thread share: the pool of batches and the fan-out to
 * the sinks, the senders' numbers, the counters, and batches that several of its listeners fill
 * together.
 *
 * The thread owns all of this data except the fan-out, which belongs to its producer.
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

/* The most shared batches that may be open at a time. Each has a different list of schemas. */
#define INGEST_SHARED 4

struct ingest_thread {
    struct batch_pool *pool;
    struct fan_out *fan_out;
    struct sequence_queue numbers;
    struct ingest_counters **counters; /* the thread's own blocks; index: the listener's index */
    struct traffic_table *traffic;     /* the busiest senders; NULL: senders are not counted */
    struct thread_measures *measures;  /* the thread's own */
    bool lossless;                     /* the thread waits for free batches and for room in queues,
                                          so that it loses no datagram */
    int64_t short_since_ns; /* monotonic: since when the system has had no pages for a batch; 0: it
                               has pages */
    struct dead_letter_queue *dead_letters; /* the thread's own; NULL: no dead letters are kept */
    bool shares; /* ingests may share batches: no other thread of the fan-out offers them */
    struct open_batch shared[INGEST_SHARED];
};

/* Closes the thread's queue of dead letters, after the thread has handled its last datagram. */
void ingest_thread_close(struct ingest_thread *thread);

/*
 * Counts the sequence numbers of the datagrams handled so far, which are only queued when a
 * datagram is handled. To be called soon afterwards, and before another thread may handle datagrams
 * that follow, so that numbers are counted in their order.
 */
void ingest_thread_commit(struct ingest_thread *thread);

/*
 * To be called when all sockets of the thread are drained: seals the shared batches if the sinks
 * are idle. `next_ns` is when the thread will drain its sockets again: after a pause, or `now_ns`
 * if it does not pause. Without a pause all shared batches are sealed; with a pause, a batch that
 * will then have been open for less than INGEST_DELAY_NS stays open. Both times are monotonic.
 */
void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns);

/*
 * Seals the shared batches that have been open for too long. Returns when the next batch must be
 * sealed (monotonic), or INT64_MAX. Batches that were opened since the last call are dated
 * `now_ns`.
 */
int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns);

/* Offers the shared batches to the sinks. */
void ingest_thread_seal(struct ingest_thread *thread);

#endif
