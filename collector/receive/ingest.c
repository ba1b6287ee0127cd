#include "collector/receive/ingest.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/receive/admission.h"
#include "collector/receive/decrypting.h"
#include "collector/receive/refusals.h"
#include "collector/receive/segments.h"
#include "collector/receive/unsealing.h"
#include "collector/text/compiler.h"

struct ingest *ingest_create(struct ingest_thread *thread, const struct listener *listener,
                             struct ingest_counters *counters)
{
    struct ingest *ingest = calloc(1, sizeof *ingest);
    if (ingest == NULL)
        return NULL;
    ingest->thread = thread;
    ingest->listener = listener;
    ingest->counters = counters;
    ingest->into = &ingest->own;
    if (!segments_create(ingest) || !unsealing_create(ingest) || !decrypting_create(ingest)) {
        ingest_destroy(ingest);
        return NULL;
    }
    return ingest;
}

void ingest_destroy(struct ingest *ingest)
{
    if (ingest == NULL)
        return;
    RULE(ingest->in_hand == NULL && ingest->own.batch == NULL,
         "an ingest ends without a datagram in hand and without an open batch");
    assembly_destroy(ingest->assembly);
    unsealing_destroy(ingest->unsealing);
    decrypting_destroy(ingest->decrypting);
    free(ingest);
}

void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread)
{
    RULE(ingest->in_hand == NULL, "an ingest changes its thread between two datagrams");
    RULE(thread == ingest->thread || ingest->into == &ingest->own,
         "only its own batch follows an ingest to another thread");
    ingest->thread = thread;
}

struct ingest_counters *ingest_counters(struct ingest *ingest)
{
    return ingest->counters;
}

/* --- the cache -------------------------------------------------------------------------------- */

void ingest_prefetch(const struct ingest *ingest)
{
    prefetch_all(ingest, sizeof *ingest);
}

/* Prefetches only the counters that every datagram changes. */
void ingest_prefetch_next(const struct ingest *ingest)
{
    PREFETCH(ingest->counters);
    PREFETCH(ingest->listener->schemas);
}

/* --- batches ---------------------------------------------------------------------------------- */

void ingest_seal(struct ingest *ingest)
{
    RULE(ingest->in_hand == NULL, "no batch is sealed while a datagram is handled");
    open_batch_seal(ingest->thread, ingest->into);
    open_batch_seal(ingest->thread, &ingest->own);
}

/*
 * Returns a shared batch of the thread that has the listener's schemas, or is unused. Returns NULL
 * if all shared batches have other schemas, or if a sink is behind.
 */
static struct open_batch *find_shared(const struct ingest *ingest)
{
    struct ingest_thread *thread = ingest->thread;
    struct open_batch *unused = NULL;
    for (size_t i = 0; i < INGEST_SHARED; i++) {
        struct open_batch *open = &thread->shared[i];
        if (open->batch == NULL && unused == NULL)
            unused = open;
        else if (open->batch != NULL &&
                 schema_slot_holds(ingest->listener->schemas, open->batch->schemas))
            return open;
    }
    /* This is checked for each new batch and not for each drain, because it reads the sinks'
     * counters. */
    return fan_out_backlog(thread->fan_out) < INGEST_SHARING_BACKLOG ? unused : NULL;
}

/*
 * Selects the batch. If it is another one than before, the previous batch is sealed first, so that
 * records keep their order.
 */
void ingest_begin(struct ingest *ingest, size_t datagrams)
{
    struct ingest_thread *thread = ingest->thread;
    struct open_batch *into = NULL;
    RULE(ingest->in_hand == NULL, "an ingest changes its batch between two datagrams");
    if (!thread->shares)
        return;
    if (ingest->own.batch == NULL && datagrams <= INGEST_LITTLE)
        into = find_shared(ingest);
    if (into == NULL)
        into = &ingest->own;
    if (into != ingest->into)
        open_batch_seal(thread, ingest->into);
    ingest->into = into;
}

void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns)
{
    open_batch_drained(ingest->thread, &ingest->own, now_ns, next_ns);
}

int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns)
{
    int64_t late_ns = segments_expire(ingest, now_ns);
    int64_t client_ns = decrypting_expire(ingest, now_ns);
    int64_t due_ns = open_batch_seal_if_due(ingest->thread, &ingest->own, now_ns);
    if (client_ns < late_ns)
        late_ns = client_ns;
    return late_ns < due_ns ? late_ns : due_ns;
}

void ingest_finish(struct ingest *ingest)
{
    segments_finish(ingest);
    ingest_seal(ingest); /* the batch may have copies of segments that were given up */
}

/* --- taking ----------------------------------------------------------------------------------- */

static ALWAYS_INLINE void count_received(struct ingest *ingest,
                                         const struct datagram_slot *datagram)
{
    struct ingest_counters *counters = ingest->counters;
    counter_add(&counters->received, 1);
    counter_add(&counters->bytes, datagram->sent_size);
    if (ingest->thread->traffic != NULL)
        traffic_note(ingest->thread->traffic, ingest->listener->index, &datagram->source,
                     datagram->sent_size);
}

/*
 * Handles a datagram. If it is refused, dead letters and relays get it as it was received, even if
 * it was sealed and has been opened. A DTLS record is stored decrypted, because it could not be
 * decrypted later.
 */
static struct ingest_verdict handle_datagram(struct open_datagram *open)
{
    const struct datagram_slot *datagram = open->slot;
    struct refusal refusal;
    struct record_chain chain;
    bool admitted = admit_datagram(open, &refusal);
    if (admitted && segments_take(open))
        return (struct ingest_verdict){0};
    if (admitted && open_datagram_decode(open, &chain, &refusal)) {
        open_datagram_append(open, &chain, 1);
        return (struct ingest_verdict){.schema = open->entry->schema->ops,
                                       .message = chain.first->message};
    }
    struct ingest_verdict verdict = {
        .schema = open->entry != NULL ? open->entry->schema->ops : NULL, .refused = refusal.reason};
    if (open->ingest->decrypting != NULL)
        datagram = open->slot;
    refuse_datagram(open, datagram, &refusal, open_datagram_schema(open));
    return verdict;
}

static struct ingest_verdict take_one(struct ingest *ingest, const struct datagram_slot *datagram)
{
    struct open_datagram open;
    count_received(ingest, datagram);
    open_datagram_begin(&open, ingest, datagram);
    struct ingest_verdict verdict = handle_datagram(&open);
    open_datagram_end(&open);
    return verdict;
}

/* Handles each DTLS record of the datagram. Returns the result of the last one. */
static NEVER_INLINE struct ingest_verdict take_records(struct ingest *ingest,
                                                       const struct datagram_slot *datagram)
{
    struct ingest_verdict verdict = {0};
    const struct datagram_slot *record;
    decrypting_split(ingest->decrypting, datagram);
    while ((record = decrypting_next(ingest->decrypting)) != NULL)
        verdict = take_one(ingest, record);
    return verdict;
}

struct ingest_verdict ingest_take(struct ingest *ingest, const struct datagram_slot *datagram)
{
    return ingest->decrypting == NULL ? take_one(ingest, datagram) : take_records(ingest, datagram);
}

void ingest_answer_by(struct ingest *ingest, struct udp_socket *socket)
{
    decrypting_use_socket(ingest, socket);
}

void ingest_take_leave(struct ingest *ingest)
{
    decrypting_finish(ingest);
}

void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason)
{
    struct open_datagram open;
    struct refusal refusal;
    count_received(ingest, frame);
    open_datagram_begin(&open, ingest, frame);
    refused_for(&refusal, reason);
    refuse_datagram(&open, frame, &refusal, NULL);
    open_datagram_end(&open);
}
