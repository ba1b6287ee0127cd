/*
 * A batch that is being filled: where it comes from, and when it is handed to the sinks.
 *
 * Belongs to a receiving thread, as one of its shared batches or as an ingest's own.
 *
 * RULE: while a datagram is handled, the batch is in that datagram's hand (open_datagram.h) and the
 * open batch is empty. Whatever else happens in the meantime, nobody can seal it.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H
#define SLUICE_COLLECTOR_RECEIVE_OPEN_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/listener.h"
#include "collector/record/batch.h"

/*
 * How long records may wait in an open batch while a sink has other work: the longer the fuller the
 * queues are, because a batch takes a whole slot there, however little is in it.
 */
#define INGEST_OPEN_LEAST_NS INT64_C(2000000)
#define INGEST_OPEN_MOST_NS  INT64_C(20000000)

/*
 * How long they may wait for more where much comes: each batch costs every sink the same, however
 * little is in it, and a wake-up where the fan-out does not hold it (fan_out_hold).
 */
#define INGEST_DELAY_NS INT64_C(1000000)

struct ingest_thread;

struct open_batch {
    struct batch *batch; /* NULL: there is none */
    int64_t opened_ns;   /* monotonic; 0: not yet dated */
};

/*
 * An empty batch with the schemas that the listener has now; `large`: of the large ones. `owned`:
 * all its records will be the listener's. A thread that loses nothing waits until one is free.
 * Returns NULL where there is none.
 */
struct batch *open_batch_acquire(struct ingest_thread *thread, const struct listener *listener,
                                 bool owned, bool large);

/* Offers it to the sinks, where one is open; an empty one goes back to the pool. */
void open_batch_seal(struct ingest_thread *thread, struct open_batch *open);

/* As ingest_thread_drained and ingest_thread_seal_if_due, for one batch. */
void open_batch_drained(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns,
                        int64_t next_ns);
int64_t open_batch_seal_if_due(struct ingest_thread *thread, struct open_batch *open,
                               int64_t now_ns);

#endif
