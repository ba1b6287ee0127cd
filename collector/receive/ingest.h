/*
 * Handles received datagrams: counts each datagram and checks whether it is admitted. Messages of
 * an admitted datagram are decoded (datagram_decode.h) and appended as records to the batch that is
 * open for the listener on this thread. A refused datagram is counted with the reason. A batch
 * keeps the schemas that its listener had when the batch was opened.
 *
 * If many listeners receive little, a batch for each would be opened, offered and released for one
 * or two datagrams. So listeners with the same schemas then share a batch of the thread. But they
 * do not share while a sink is behind, because the queues then limit each listener separately,
 * which needs batches of one listener.
 *
 * There is one ingest per socket or capture. One thread at a time uses it, together with the data
 * that all ingests of this thread share. Between start and stop an ingest allocates no memory,
 * except once when a schema seems wrong (schema_guess.h). The checks are made in the order of enum
 * datagram_reason.
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
 * Creates an ingest that counts into `counters`, a block of the listener that only the users of
 * this ingest write. Returns NULL if out of memory.
 */
struct ingest *ingest_create(struct ingest_thread *thread, const struct listener *listener,
                             struct ingest_counters *counters);

/* Frees the ingest, which must have no open batch (ingest_seal). NULL is allowed. */
void ingest_destroy(struct ingest *ingest);

/* Passes the ingest to another thread of the same producer. */
void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread);

/* Returns the block that the ingest counts into. */
struct ingest_counters *ingest_counters(struct ingest *ingest);

/*
 * Prefetches data of an ingest for which datagrams are likely soon. With many ingests, the data of
 * each has left the cache when it is served again. The first call prefetches the ingest; a second
 * call, a while later, prefetches the data that it points to.
 */
void ingest_prefetch(const struct ingest *ingest);
void ingest_prefetch_next(const struct ingest *ingest);

/* Selects the batch for the next `datagrams` datagrams, which were received together. */
void ingest_begin(struct ingest *ingest, size_t datagrams);

/* The outcome for a datagram, or for a frame of a stream. */
struct ingest_verdict {
    const struct schema_ops *schema; /* NULL: no schema matched, or none was looked for */
    const void *message;          /* the first message; valid until the next call. NULL: refused */
    enum datagram_reason refused; /* the reason, if it was refused */
};

/* Gives the ingest of a DTLS listener the socket that it answers clients by; for others no effect.
 */
void ingest_answer_by(struct ingest *ingest, struct udp_socket *socket);

/* Tells the clients of a DTLS listener that the socket will be closed, and answers no more. */
void ingest_take_leave(struct ingest *ingest);

/* Handles a datagram; its bytes are copied. For a segment the verdict is empty. */
struct ingest_verdict ingest_take(struct ingest *ingest, const struct datagram_slot *datagram);

/* Counts an incomplete frame as refused; `frame` has its first bytes. */
void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason);

/*
 * As ingest_thread_drained and ingest_thread_seal_if_due, for the ingest's own batch.
 * ingest_seal_if_due also gives up messages whose segments are late, and serves clients of DTLS
 * whose answers are due or whose time is over.
 */
void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns);
int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns);

/*
 * Gives up incomplete messages and seals. Called when no more datagrams follow; may be called
 * again.
 */
void ingest_finish(struct ingest *ingest);

/* Offers all open batches that may have records of this ingest to the sinks. */
void ingest_seal(struct ingest *ingest);

#endif
