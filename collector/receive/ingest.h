/*
 * Handles received datagrams. Each is counted, and checked for admission. The messages of an
 * admitted datagram are decoded (datagram_decode.h) and appended as records to the batch that is
 * open for the listener on this thread. A refused datagram is counted with the reason. A batch
 * keeps the schemas that its listener had when the batch was opened.
 *
 * If many listeners receive little, a batch for each of them would hold only one or two datagrams.
 * Listeners with the same schemas therefore share a batch of the thread. They do not share while a
 * sink is behind: then the queues limit each listener separately, and need batches of a single
 * listener.
 *
 * There is one ingest per socket or capture. One thread at a time uses it, together with the data
 * that all ingests of this thread share. Between start and stop an ingest allocates no memory,
 * except once when a schema seems wrong (schema_guess.h).
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
 * A drain of at most INGEST_LITTLE datagrams may use a shared batch, if no queue is filled beyond
 * INGEST_SHARING_BACKLOG (a fraction).
 */
#define INGEST_LITTLE          8
#define INGEST_SHARING_BACKLOG 0.125

struct ingest;

/*
 * Creates an ingest that counts into `counters`, a block of the listener that no other ingest uses.
 * Returns NULL if out of memory.
 */
struct ingest *ingest_create(struct ingest_thread *thread, const struct listener *listener,
                             struct ingest_counters *counters);

/* Frees the ingest. It must not have an open batch (ingest_seal). NULL is allowed. */
void ingest_destroy(struct ingest *ingest);

/* Passes the ingest to another thread with the same fan-out. */
void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread);

/* Returns the block that the ingest counts into. */
struct ingest_counters *ingest_counters(struct ingest *ingest);

/*
 * Prefetch data of an ingest that will probably get datagrams soon. With many ingests, the data of
 * each has left the processor's cache when it is served again. The first function prefetches the
 * ingest; the second, called a while later, prefetches data that it points to.
 */
void ingest_prefetch(const struct ingest *ingest);
void ingest_prefetch_next(const struct ingest *ingest);

/* Selects the batch for the next `datagrams` datagrams, which were received together. */
void ingest_begin(struct ingest *ingest, size_t datagrams);

/* The outcome of a datagram, or of a frame of a stream. */
struct ingest_verdict {
    const struct schema_ops *schema; /* NULL if no schema matched, or if none was searched */
    const void *message;             /* first message, valid until the next call; NULL if refused */
    enum datagram_reason refused;    /* the reason, if `message` is NULL */
};

/*
 * Gives the ingest the socket that sends answers to clients. No effect unless the listener is DTLS.
 */
void ingest_answer_by(struct ingest *ingest, struct udp_socket *socket);

/*
 * Notifies the clients of a DTLS listener that the socket will be closed. No answers are sent after
 * this.
 */
void ingest_take_leave(struct ingest *ingest);

/*
 * Handles a datagram, and copies its bytes. For a segment of a message all members of the result
 * are 0.
 */
struct ingest_verdict ingest_take(struct ingest *ingest, const struct datagram_slot *datagram);

/* Counts an incomplete frame as refused; `frame` has its first bytes. */
void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason);

/*
 * Like ingest_thread_drained and ingest_thread_seal_if_due, but for the ingest's own batch.
 * ingest_seal_if_due also gives up messages whose segments are late, repeats DTLS messages without
 * an answer, and ends overdue DTLS handshakes and sessions.
 */
void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns);
int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns);

/*
 * Gives up incomplete messages and seals. Call this when no more datagrams follow; it may be called
 * again.
 */
void ingest_finish(struct ingest *ingest);

/* Hands all open batches that may have records of this ingest to the sinks. */
void ingest_seal(struct ingest *ingest);

#endif
