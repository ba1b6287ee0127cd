/*
 * The batch that a receiving thread is filling: acquired from the pool, sealed and offered to the
 * sinks. A thread has one such batch for each ingest and several shared ones.
 *
 * RULE: while a datagram is handled, the datagram owns the batch (open_datagram.h) and `batch` here
 * is NULL, so that no other code can seal the batch.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H
#define SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/listener.h"
#include "collector/record/batch.h"

/*
 * How long records may wait in an open batch while a sink is busy: from INGEST_OPEN_LEAST_NS to
 * INGEST_OPEN_MOST_NS, longer if the queues are fuller, because even a nearly empty batch takes a
 * whole slot of a queue.
 */
#define INGEST_OPEN_LEAST_NS INT64_C(2000000)
#define INGEST_OPEN_MOST_NS  INT64_C(20000000)

/*
 * How long records may wait for more records at a high rate: each batch costs every sink a fixed
 * amount of time, plus a wake-up unless the fan-out defers it (fan_out_hold).
 */
#define INGEST_DELAY_NS INT64_C(1000000)

struct ingest_thread;

struct open_batch {
    struct batch *batch; /* NULL: none is open */
    int64_t opened_ns;   /* monotonic; 0: not yet dated */
};

/*
 * Acquires an empty batch with the listener's current schemas. `large`: a large batch. `owned`: all
 * its records will be this listener's. A lossless thread waits until a batch is free. Returns NULL
 * if no batch is available.
 */
struct batch *open_batch_acquire(struct ingest_thread *thread, const struct listener *listener,
                                 bool owned, bool large);

/* Offers the open batch, if there is one, to the sinks; an empty batch returns to the pool. */
void open_batch_seal(struct ingest_thread *thread, struct open_batch *open);

/* As ingest_thread_drained and ingest_thread_seal_if_due, for a single batch. */
void open_batch_drained(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns,
                        int64_t next_ns);
int64_t open_batch_seal_if_due(struct ingest_thread *thread, struct open_batch *open,
                               int64_t now_ns);

#endif
