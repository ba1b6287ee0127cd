/*
 * What the ingests of one receiving thread share: where batches come from and go to, the senders'
 * numbers, the counters, and batches that several of its listeners fill together.
 *
 * All of it belongs to the thread, but for the fan-out, which belongs to its producer.
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

/* So many shared batches may be open at a time, each for other schemas. */
#define INGEST_SHARED 4

struct ingest_thread {
    struct batch_pool *pool;
    struct fan_out *fan_out;
    struct sequence_queue numbers;
    struct ingest_counters **counters; /* this thread's own blocks, by listener index */
    struct traffic_table *traffic;     /* who sends how much; NULL: nobody asks */
    struct thread_measures *measures;  /* this thread's own */
    bool lossless;                     /* waits for a free batch as well as for room in a queue */
    int64_t short_since_ns;            /* monotonic: no pages for a batch since then; 0: some */
    struct dead_letter_queue *dead_letters; /* this thread's; NULL: none are kept */
    bool shares; /* ingests may share batches: no other thread of its fan-out offers theirs */
    struct open_batch shared[INGEST_SHARED];
};

/* The thread has taken its last datagram: its letters may end. */
void ingest_thread_close(struct ingest_thread *thread);

/*
 * All that was taken is counted from now on; before, the latest senders' numbers may not be. To be
 * called before another thread may take what follows, and soon.
 */
void ingest_thread_commit(struct ingest_thread *thread);

/*
 * All sockets of the thread are drained, and it looks again at `next_ns` (both monotonic): now, as
 * soon as more comes, or after a pause. Seals the shared batches if the sinks are idle, except one
 * that will not have waited for INGEST_DELAY_NS by then.
 */
void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns);

/*
 * Seals the shared batches that have been open for too long. Returns nanoseconds (monotonic) at
 * which one that is still open must be sealed, INT64_MAX where none is. `now_ns` dates a batch that
 * was opened since the last call.
 */
int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns);

/* Offers the shared batches to the sinks. */
void ingest_thread_seal(struct ingest_thread *thread);

#endif
