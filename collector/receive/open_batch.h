/*
 * The batch that a receiving thread is filling. It comes from the pool; when it is sealed, it is
 * handed to the sinks. A thread has such a batch for each ingest, and several shared ones.
 *
 * RULE: while a datagram is handled, the datagram owns the batch (open_datagram.h) and `batch` is
 * NULL here, so that no other code can seal the batch.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H
#define SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/listener.h"
#include "collector/record/batch.h"

/*
 * How long (nanoseconds) records may wait in an open batch while a sink is busy: from
 * INGEST_OPEN_LEAST_NS with empty queues to INGEST_OPEN_MOST_NS with full ones. The reason for
 * waiting is that even a nearly empty batch takes a whole slot of a queue.
 */
#define INGEST_OPEN_LEAST_NS INT64_C(2000000)
#define INGEST_OPEN_MOST_NS  INT64_C(20000000)

/*
 * How long (nanoseconds) records may wait for more records at a high rate. The reason for waiting
 * is that each batch costs every sink some time, plus a wake-up unless the fan-out defers it
 * (fan_out_hold).
 */
#define INGEST_DELAY_NS INT64_C(1000000)

struct ingest_thread;

struct open_batch {
    struct batch *batch;
    int64_t opened_ns; /* monotonic; 0 if not known yet */
};

/*
 * Acquires an empty batch, large if `large`, with the listener's current schemas. If `owned`, all
 * its records will be from this listener. If the thread must not lose datagrams (`lossless` of
 * struct ingest_thread), waits until a batch is free. Returns NULL if no batch is available.
 */
struct batch *open_batch_acquire(struct ingest_thread *thread, const struct listener *listener,
                                 bool owned, bool large);

/* Hands the open batch, if there is one, to the sinks. An empty batch returns to the pool. */
void open_batch_seal(struct ingest_thread *thread, struct open_batch *open);

/* Like ingest_thread_drained and ingest_thread_seal_if_due, but for one batch. */
void open_batch_drained(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns,
                        int64_t next_ns);
int64_t open_batch_seal_if_due(struct ingest_thread *thread, struct open_batch *open,
                               int64_t now_ns);

#endif
