/*
 * What becomes of a datagram: it is counted and judged. Its messages are decoded
 * (datagram_decode.h) and appended as records to the batch that is open for its listener on this
 * thread, or it is counted with its reason. A batch keeps the schemas that its listener had when it
 * was opened.
 *
 * Where little comes to each of many listeners, a batch for each would be opened, offered and given
 * back for a datagram or two. Listeners that have the same schemas then share one that is the
 * thread's, as long as no sink is behind: of one that is, each listener has its share, and no batch
 * may be several listeners'.
 *
 * One ingest per socket or capture. One thread at a time uses it, with what that thread has for
 * all its ingests; between start and stop it allocates nothing, but for what is made once where a
 * schema is doubted (schema_guess.h). The order of judgement is that of enum datagram_reason.
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
 * A drain that finds no more than LITTLE datagrams may share a batch, as long as no queue is filled
 * beyond SHARING_BACKLOG.
 */
#define INGEST_LITTLE          8
#define INGEST_SHARING_BACKLOG 0.125

struct ingest;

/*
 * Counts into `counters`, a block of the listener's that only whoever uses the ingest writes.
 * Returns NULL where memory is short.
 */
struct ingest *ingest_create(struct ingest_thread *thread, const struct listener *listener,
                             struct ingest_counters *counters);

/* Nothing may be open (ingest_seal). NULL is allowed. */
void ingest_destroy(struct ingest *ingest);

/* From now on another thread of the same producer uses it. */
void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread);

/* The block that it counts into. */
struct ingest_counters *ingest_counters(struct ingest *ingest);

/*
 * Datagrams for it are likely soon. Where there are many ingests, what one reads has left the cache
 * when it has its quantum: the first of these brings in the ingest itself, the second, a while
 * later, what it points to.
 */
void ingest_prefetch(const struct ingest *ingest);
void ingest_prefetch_next(const struct ingest *ingest);

/* A receive has found so many datagrams, which are taken next: says which batch they go to. */
void ingest_begin(struct ingest *ingest, size_t datagrams);

/* The outcome for a datagram, or for a frame of a stream. */
struct ingest_verdict {
    const struct schema_ops *schema; /* NULL: none matched, or it was refused before */
    const void *message; /* its first message, until the ingest is used again; NULL: refused */
    enum datagram_reason refused; /* why */
};

/* Handles a datagram; its bytes are copied. For a segment the verdict is empty. */
struct ingest_verdict ingest_take(struct ingest *ingest, const struct datagram_slot *datagram);

/* Counts a frame whose bytes are not all there as refused: `frame` has the first of them. */
void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason);

/*
 * As ingest_thread_drained and ingest_thread_seal_if_due, for the batch that is the ingest's own.
 * The second one also gives up messages whose segments are late.
 */
void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns);
int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns);

/* Nothing more comes: messages that are not whole are given up. It may be called again. */
void ingest_finish(struct ingest *ingest);

/* Offers to the sinks all that is open and may hold records of the ingest's. */
void ingest_seal(struct ingest *ingest);

#endif
