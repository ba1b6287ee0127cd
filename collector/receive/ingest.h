/*
 * What becomes of a datagram: it is counted, judged, its messages are decoded in place and appended
 * as records, all or none, to the batch that is open for its listener on this thread; or it is
 * counted with its reason. A batch goes on with the schemas that its listener had when it was
 * opened.
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

#include "collector/base/arena.h"
#include "collector/contract/listener.h"
#include "collector/ledger/ledger.h"
#include "collector/output/fan_out.h"
#include "collector/platform/udp_socket.h"
#include "collector/receive/dead_letters.h"
#include "collector/record/batch.h"
#include "collector/senders/sequence_queue.h"
#include "collector/senders/traffic.h"

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
#define INGEST_REST_NS INT64_C(1000000)

/*
 * A drain that finds no more than LITTLE datagrams may share a batch, as long as no queue is filled
 * beyond SHARING_BACKLOG; and so many of them may be open at a time, each for other schemas.
 */
#define INGEST_LITTLE          8
#define INGEST_SHARING_BACKLOG 0.125
#define INGEST_SHARED          4

/* A batch that is being filled; NULL: there is none. */
struct open_batch {
    struct batch *batch;
    int64_t opened_ns; /* 0: not yet dated */
};

/* What the ingests that a thread uses share; the thread's own, but for the fan-out of its producer.
 */
struct ingest_thread {
    struct batch_pool *pool;
    struct fan_out *fan_out;
    struct sequence_queue numbers;
    struct ingest_counters **counters; /* this thread's own blocks, by listener index */
    struct traffic_table *traffic;     /* who sends how much; NULL: nobody asks */
    struct thread_measures *measures;  /* this thread's own */
    bool lossless;                     /* waits for a free batch as well as for room in a queue */
    struct dead_letter_queue *letters; /* this thread's; NULL: none are kept */
    bool shares; /* ingests may share batches: no other thread of its fan-out offers theirs */
    struct open_batch shared[INGEST_SHARED];
};

/* The thread has taken its last datagram: its letters may end. */
void ingest_thread_close(struct ingest_thread *thread);

/*
 * All that was taken is counted from now on; before, the latest senders' numbers may not be. To be
 * called before another thread may take what is behind, and soon.
 */
void ingest_thread_settle(struct ingest_thread *thread);

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
 * when its turn comes: the first of these brings in the ingest itself, the second, a while later,
 * what it points to.
 */
void ingest_prefetch(const struct ingest *ingest);
void ingest_prefetch_next(const struct ingest *ingest);

/* A receive has found so many datagrams, which are taken next: says which batch they go to. */
void ingest_begin(struct ingest *ingest, size_t datagrams);

/* Takes a datagram, whose bytes are copied. */
void ingest_take(struct ingest *ingest, const struct datagram_slot *datagram);

/*
 * The socket is drained, and whoever uses the ingest looks again at `next_ns` (both monotonic):
 * now, as soon as more comes, or after a rest. Seals what is open if the sinks are idle, but where
 * it will not have waited for INGEST_REST_NS by then. The second is for what ingests share, when
 * all of a thread's are drained.
 */
void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns);
void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns);

/*
 * Seals what has been open for too long. Returns nanoseconds (monotonic) at which what still is
 * must be sealed, INT64_MAX where nothing is. `now_ns` dates a batch that was opened since the last
 * call. The second is for what ingests share.
 */
int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns);
int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns);

/* Offers to the sinks all that is open and may hold records of the ingest's, or is shared. */
void ingest_seal(struct ingest *ingest);
void ingest_thread_seal(struct ingest_thread *thread);

#endif
