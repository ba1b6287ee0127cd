/*
 * Handles received datagrams: counts each one and checks whether it is admitted. Its messages are
 * decoded (datagram_decode.h) and appended as records to the batch that is open for its listener on
 * this thread, or it is counted with the reason of its refusal. A batch keeps the schemas that its
 * listener had when it was opened.
 *
 * If each of many listeners receives little, a batch for each would be opened, offered and released
 * for a datagram or two. Listeners with the same schemas then share a batch of the thread, as long
 * as no sink is behind: a sink that is behind limits each listener separately, which needs batches
 * of one listener.
 *
 * One ingest per socket or capture. One thread at a time uses it, together with what that thread
 * has for all its ingests. Between start and stop it allocates no memory, except once when a schema
 * seems wrong (schema_guess.h). The checks are made in the order of enum datagram_reason.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INGEST_H
#define SLUICE_COLLECTOR_RECEIVE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/listener.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/udp.h"
#include "collector/receive/ingest_thread.h"

/*
 * A drain of at most INGEST_LITTLE datagrams may share a batch while no queue is filled beyond
 * INGEST_SHARING_BACKLOG.
 */
#define INGEST_LITTLE          8
#define INGEST_SHARING_BACKLOG 0.125

struct ingest;

/*
 * Counts into `counters`, a block of the listener's that only the users of the ingest write.
 * Returns NULL if out of memory.
 */
struct ingest *ingest_create(struct ingest_thread *thread, const struct listener *listener,
                             struct ingest_counters *counters);

/* No batch may be open (ingest_seal). NULL is allowed. */
void ingest_destroy(struct ingest *ingest);

/* Passes the ingest to another thread of the same producer. */
void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread);

/* The block that it counts into. */
struct ingest_counters *ingest_counters(struct ingest *ingest);

/*
 * Hints that datagrams for it are likely soon. With many ingests, the data of each has left the
 * cache when it is served again: the first call prefetches the ingest, the second one, a while
 * later, what it points to.
 */
void ingest_prefetch(const struct ingest *ingest);
void ingest_prefetch_next(const struct ingest *ingest);

/* Selects the batch for the next `datagrams` datagrams, which one receive has found. */
void ingest_begin(struct ingest *ingest, size_t datagrams);

/* The outcome for a datagram, or for a frame of a stream. */
struct ingest_verdict {
    const struct schema_ops *schema; /* NULL: none matched, or it was refused before */
    const void *message; /* its first message, until the ingest is used again; NULL: refused */
    enum datagram_reason refused; /* why */
};

/* Handles a datagram; its bytes are copied. For a segment the verdict is empty. */
struct ingest_verdict ingest_take(struct ingest *ingest, const struct datagram_slot *datagram);

/* Counts an incomplete frame as refused; `frame` has its first bytes. */
void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason);

/*
 * As ingest_thread_drained and ingest_thread_seal_if_due, for the ingest's own batch. The second
 * one also gives up messages whose segments are late.
 */
void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns);
int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns);

/* No more datagrams follow: gives up incomplete messages. May be called again. */
void ingest_finish(struct ingest *ingest);

/* Offers all open batches that may have records of this ingest to the sinks. */
void ingest_seal(struct ingest *ingest);

#endif
