/*
 * The data that the ingests of one receiving thread share: where batches come from and go to, the
 * senders' numbers, the counters, and batches that several of its listeners fill together.
 *
 * The thread owns all of it except the fan-out, which belongs to its producer.
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

/* The most shared batches that may be open at a time, each with other schemas. */
#define INGEST_SHARED 4

struct ingest_thread {
    struct batch_pool *pool;
    struct fan_out *fan_out;
    struct sequence_queue numbers;
    struct ingest_counters **counters; /* this thread's own blocks, by listener index */
    struct traffic_table *traffic;     /* the busiest senders; NULL: not counted */
    struct thread_measures *measures;  /* this thread's own */
    bool lossless;                     /* waits for a free batch as well as for room in a queue */
    int64_t short_since_ns; /* monotonic: since when the system has no pages for a batch; 0: it has
                               some */
    struct dead_letter_queue *dead_letters; /* this thread's; NULL: no dead letters are kept */
    bool shares; /* ingests may share batches: no other thread of its fan-out offers theirs */
    struct open_batch shared[INGEST_SHARED];
};

/* The thread has handled its last datagram: closes its queue of dead letters. */
void ingest_thread_close(struct ingest_thread *thread);

/*
 * Completes the counts of all datagrams so far: without it, the latest senders' numbers may be
 * missing. To be called soon, and before another thread may handle the datagrams that follow.
 */
void ingest_thread_commit(struct ingest_thread *thread);

/*
 * All sockets of the thread are drained, and it checks again at `next_ns` (both monotonic): at
 * once, when more arrives, or after a pause. Seals the shared batches if the sinks are idle, except
 * a batch that will not have waited for INGEST_DELAY_NS by then.
 */
void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns);

/*
 * Seals the shared batches that have been open for too long. Returns when the next one must be
 * sealed (monotonic), or INT64_MAX. `now_ns` dates batches opened since the last call.
 */
int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns);

/* Offers the shared batches to the sinks. */
void ingest_thread_seal(struct ingest_thread *thread);

#endif
