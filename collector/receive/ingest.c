#include "collector/receive/ingest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/compiler.h"
#include "collector/base/networks.h"
#include "collector/log/log.h"
#include "collector/platform/thread.h"
#include "collector/record/mismatch_hint.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"

struct ingest {
    struct ingest_thread *thread;
    const struct listener *listener;
    struct ingest_counters *counters;
    struct open_batch own;
    struct open_batch *into; /* what it fills: its own, or one of the thread's */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender; /* of the last datagram */
    struct log_limit log;
};

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
    return ingest;
}

void ingest_destroy(struct ingest *ingest)
{
    free(ingest);
}

void ingest_hand_to(struct ingest *ingest, struct ingest_thread *thread)
{
    ingest->thread = thread;
}

struct ingest_counters *ingest_counters(struct ingest *ingest)
{
    return ingest->counters;
}

void ingest_thread_close(struct ingest_thread *thread)
{
    ingest_thread_settle(thread);
    dead_letter_queue_close(thread->letters);
}

void ingest_thread_settle(struct ingest_thread *thread)
{
    sequence_queue_settle(&thread->numbers);
}

/* --- the cache -------------------------------------------------------------------------------- */

void ingest_prefetch(const struct ingest *ingest)
{
    prefetch_all(ingest, sizeof *ingest);
}

/* Of the counters, those that every datagram raises. */
void ingest_prefetch_next(const struct ingest *ingest)
{
    PREFETCH(ingest->counters);
    PREFETCH(ingest->listener->schemas);
}

/* --- batches ---------------------------------------------------------------------------------- */

static void seal(struct ingest_thread *thread, struct open_batch *open)
{
    struct batch *batch = open->batch;
    if (batch == NULL)
        return;
    open->batch = NULL;
    if (batch->count == 0) {
        batch_release(batch);
        return;
    }
    ingest_thread_settle(thread); /* who sees it written sees it counted */
    histogram_note(&thread->measures->batch_records, histogram_counts, batch->count);
    fan_out_offer(thread->fan_out, batch);
}

void ingest_seal(struct ingest *ingest)
{
    seal(ingest->thread, ingest->into);
    seal(ingest->thread, &ingest->own);
}

void ingest_thread_seal(struct ingest_thread *thread)
{
    for (size_t i = 0; i < INGEST_SHARED; i++)
        seal(thread, &thread->shared[i]);
}

static bool open_batch(struct ingest *ingest, bool large)
{
    struct ingest_thread *thread = ingest->thread;
    struct batch *batch = batch_acquire(thread->pool, large);
    while (batch == NULL && thread->lossless && fan_out_pause(thread->fan_out))
        batch = batch_acquire(thread->pool, large);
    if (batch == NULL)
        return false;
    batch->listener = ingest->into == &ingest->own ? ingest->listener : NULL;
    batch->schemas = schema_slot_take(ingest->listener->schemas);
    *ingest->into = (struct open_batch){.batch = batch};
    return true;
}

/*
 * One of the thread's that has the listener's schemas, or none yet; NULL: all have others, or a
 * sink is behind.
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
    /* Asked for each batch, not for each drain: it takes looking at what the sinks write. */
    return fan_out_backlog(thread->fan_out) < INGEST_SHARING_BACKLOG ? unused : NULL;
}

/* What it has elsewhere goes first, so that its records keep their order. */
void ingest_begin(struct ingest *ingest, size_t datagrams)
{
    struct ingest_thread *thread = ingest->thread;
    struct open_batch *into = NULL;
    if (!thread->shares)
        return;
    if (ingest->own.batch == NULL && datagrams <= INGEST_LITTLE)
        into = find_shared(ingest);
    if (into == NULL)
        into = &ingest->own;
    if (into != ingest->into)
        seal(thread, ingest->into);
    ingest->into = into;
}

/* When it was opened, at the latest. */
static int64_t opened_ns(struct open_batch *open, int64_t now_ns)
{
    if (open->opened_ns == 0)
        open->opened_ns = now_ns;
    return open->opened_ns;
}

static void drained(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns,
                    int64_t next_ns)
{
    if (open->batch == NULL || !fan_out_is_idle(thread->fan_out))
        return;
    if (next_ns == now_ns || next_ns - opened_ns(open, now_ns) >= INGEST_REST_NS)
        seal(thread, open);
}

void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns)
{
    drained(ingest->thread, &ingest->own, now_ns, next_ns);
}

void ingest_thread_drained(struct ingest_thread *thread, int64_t now_ns, int64_t next_ns)
{
    for (size_t i = 0; i < INGEST_SHARED; i++)
        drained(thread, &thread->shared[i], now_ns, next_ns);
}

static int64_t seal_if_due(struct ingest_thread *thread, struct open_batch *open, int64_t now_ns)
{
    if (open->batch == NULL)
        return INT64_MAX;
    double more = (double)(INGEST_OPEN_MOST_NS - INGEST_OPEN_LEAST_NS);
    int64_t due = opened_ns(open, now_ns) + INGEST_OPEN_LEAST_NS +
                  (int64_t)(more * fan_out_backlog(thread->fan_out));
    if (due > now_ns)
        return due;
    seal(thread, open);
    return INT64_MAX;
}

int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns)
{
    return seal_if_due(ingest->thread, &ingest->own, now_ns);
}

int64_t ingest_thread_seal_if_due(struct ingest_thread *thread, int64_t now_ns)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < INGEST_SHARED; i++) {
        int64_t due = seal_if_due(thread, &thread->shared[i], now_ns);
        first = due < first ? due : first;
    }
    return first;
}

/* --- decoding --------------------------------------------------------------------------------- */

static void copy_payload(uint8_t *to, const struct datagram_slot *from)
{
    size_t front = from->size < DATAGRAM_FRONT_SIZE ? from->size : DATAGRAM_FRONT_SIZE;
    memcpy(to, from->front, front);
    if (from->size > front)
        memcpy(to + front, from->rest, from->size - front);
}

/* The records of one datagram, on their way into the batch. */
struct chain {
    struct record *first;
    struct record *last;
    size_t count;
    size_t unknown_fields;       /* of their messages */
    const struct packet *packet; /* for the first one; NULL: not kept */
};

static void add_to_chain(struct chain *chain, struct record *record)
{
    record->next = NULL;
    if (chain->count++ == 0)
        chain->first = record;
    else
        chain->last->next = record;
    chain->last = record;
}

static enum datagram_reason reason_of_result(enum decode_result result)
{
    switch (result) {
    case DECODE_TOO_DEEP:
        return REASON_TOO_DEEP;
    case DECODE_TOO_LARGE:
        return REASON_TOO_LARGE;
    case DECODE_MALFORMED:
    case DECODE_OK:
        break;
    }
    return REASON_MALFORMED;
}

/* Why a datagram is refused. */
struct refusal {
    enum datagram_reason reason;
    struct decode_failure failure; /* CAUSE_UNKNOWN where its bytes are not the reason */
};

static bool refused_for(struct refusal *refusal, enum datagram_reason reason)
{
    refusal->reason = reason;
    refusal->failure.cause = CAUSE_UNKNOWN;
    return false;
}

static bool refused_by_decoder(struct refusal *refusal, enum decode_result result,
                               const struct decode_failure *failure, size_t frame_at)
{
    refusal->reason = reason_of_result(result);
    refusal->failure = *failure;
    refusal->failure.offset += frame_at;
    return false;
}

static enum datagram_reason reason_of_frame(enum frame_result result, const struct schema *schema)
{
    if (result == FRAME_CONTROL)
        return REASON_CONTROL;
    return result == FRAME_NONE && !schema->ops->accepts_empty ? REASON_EMPTY : REASON_MALFORMED;
}

static bool refused_by_framing(struct refusal *refusal, enum frame_result result,
                               const struct frames *frames, const struct schema *schema)
{
    refused_for(refusal, reason_of_frame(result, schema));
    if (refusal->reason == REASON_MALFORMED)
        refusal->failure = (struct decode_failure){.cause = frames->cause, .offset = frames->at};
    return false;
}

/*
 * Decodes one message of the datagram, whose payload is `data`, into `record`. Returns false with
 * *refusal.
 */
static bool decode_message(struct ingest *ingest, const struct schema *schema,
                           const struct datagram_slot *datagram, const uint8_t *data,
                           const struct frame *frame, struct record *record, struct chain *chain,
                           struct refusal *refusal)
{
    struct decoded decoded;
    if (frame->size == 0 && !schema->ops->accepts_empty)
        return refused_for(refusal, REASON_EMPTY);
    if (record == NULL)
        return refused_for(refusal, REASON_TOO_LARGE);
    enum decode_result result = schema->ops->decode(schema, frame->data, frame->size,
                                                    &ingest->into->batch->arena, &decoded);
    if (result != DECODE_OK)
        return refused_by_decoder(refusal, result, &decoded.failure, (size_t)(frame->data - data));
    *record = (struct record){.listener = ingest->listener,
                              .schema = schema,
                              .message = decoded.message,
                              .data = frame->data,
                              .packet = chain->packet,
                              .size = (uint32_t)frame->size,
                              .source = datagram->source,
                              .received_ns = datagram->received_ns};
    chain->packet = NULL;
    add_to_chain(chain, record);
    chain->unknown_fields += decoded.unknown_fields;
    return true;
}

/* Decodes all messages of the datagram, whose payload is `data`; `record` is for the first one. */
static bool decode_messages(struct ingest *ingest, const struct schema_entry *entry,
                            const struct datagram_slot *datagram, const uint8_t *data,
                            struct record *record, struct chain *chain, struct refusal *refusal)
{
    struct frames frames;
    struct frame frame;
    enum frame_result result;
    frames_begin(&frames, entry->framing, entry->header, data, datagram->size);
    while ((result = frames_next(&frames, &frame)) == FRAME_MESSAGE) {
        if (chain->count != 0)
            record = arena_allocate(&ingest->into->batch->arena, sizeof *record);
        if (!decode_message(ingest, entry->schema, datagram, data, &frame, record, chain, refusal))
            return false;
    }
    return result == FRAME_END || refused_by_framing(refusal, result, &frames, entry->schema);
}

/* Keeps the datagram as it is, for its first record. Returns false where there is no room. */
static bool keep_packet(struct ingest *ingest, const struct datagram_slot *datagram,
                        const uint8_t *data, struct chain *chain)
{
    if (!ingest->listener->keeps_packets)
        return true;
    struct packet *packet = arena_allocate(&ingest->into->batch->arena, sizeof *packet);
    if (packet == NULL)
        return false;
    *packet = (struct packet){
        .data = data, .size = datagram->size, .destination = *datagram->destination};
    chain->packet = packet;
    return true;
}

/*
 * Decodes into the open batch. Returns false with *refusal; the batch is then as it was.
 * REASON_TOO_LARGE with *limited says that more than max_decoded is needed, so that a larger batch
 * would not help.
 */
static bool decode_here(struct ingest *ingest, const struct schema_entry *entry,
                        const struct datagram_slot *datagram, struct chain *chain,
                        struct refusal *refusal, bool *limited)
{
    size_t max_decoded = ingest->listener->max_decoded;
    struct arena *arena = &ingest->into->batch->arena;
    size_t start = arena->used;
    size_t capacity = arena->capacity;
    bool done = false;
    *chain = (struct chain){0};
    *limited = false;
    refused_for(refusal, REASON_TOO_LARGE);
    struct record *record = arena_allocate(arena, sizeof *record);
    uint8_t *data = arena_allocate(arena, datagram->size);
    if (record != NULL && data != NULL && keep_packet(ingest, datagram, data, chain)) {
        copy_payload(data, datagram);
        if (capacity - arena->used >= max_decoded) {
            arena->capacity = arena->used + max_decoded;
            *limited = true;
        }
        done = decode_messages(ingest, entry, datagram, data, record, chain, refusal);
        arena->capacity = capacity;
    }
    arena->exhausted = false;
    if (!done)
        arena->used = start;
    return done;
}

/* What does not fit the rest of a batch starts the next; what does not fit that, a large one. */
static bool next_batch(struct ingest *ingest)
{
    bool was_empty = ingest->into->batch->count == 0;
    seal(ingest->thread, ingest->into);
    if (was_empty)
        ingest->into = &ingest->own; /* a large one is never shared */
    return open_batch(ingest, was_empty);
}

static const struct schema_entry *entry_for(const struct ingest *ingest,
                                            const struct datagram_slot *datagram)
{
    size_t front = datagram->size < DATAGRAM_FRONT_SIZE ? datagram->size : DATAGRAM_FRONT_SIZE;
    return schema_list_find(ingest->into->batch->schemas, &datagram->source, datagram->front,
                            front);
}

static bool may_send(const struct listener *listener, const struct address *source)
{
    return listener->senders == NULL || networks_hold(listener->senders, source);
}

static bool may_send_more(const struct listener *listener, const struct datagram_slot *datagram)
{
    return listener->rate_limit == NULL ||
           rate_limit_take(listener->rate_limit, &datagram->source, datagram->received_ns);
}

/*
 * Decodes the datagram for the batch that is open then. Returns false with *refusal. *entry is
 * whose datagram it is, as long as that batch is open; NULL: nobody's, or not asked. It is asked
 * anew for each batch, as each has its own list.
 */
static bool judge(struct ingest *ingest, const struct datagram_slot *datagram, struct chain *chain,
                  const struct schema_entry **entry, struct refusal *refusal)
{
    *entry = NULL;
    /* One that was opened for nothing is there for what comes next, as any other is. */
    if (ingest->into->batch == NULL && !open_batch(ingest, false))
        return refused_for(refusal, REASON_NO_BUFFER);
    if (!may_send(ingest->listener, &datagram->source))
        return refused_for(refusal, REASON_SOURCE_DENIED);
    if (!may_send_more(ingest->listener, datagram))
        return refused_for(refusal, REASON_RATE_LIMITED);
    if (datagram->truncated)
        return refused_for(refusal, REASON_TRUNCATED);
    for (;;) {
        bool limited;
        *entry = entry_for(ingest, datagram);
        if (*entry == NULL)
            return refused_for(refusal, REASON_NO_MATCH);
        if (decode_here(ingest, *entry, datagram, chain, refusal, &limited))
            return true;
        bool largest = ingest->into->batch->large && ingest->into->batch->count == 0;
        if (refusal->reason != REASON_TOO_LARGE || limited || largest)
            return false;
        *entry = NULL;
        if (!next_batch(ingest))
            return refused_for(refusal, REASON_NO_BUFFER);
    }
}

/* --- senders' numbers ------------------------------------------------------------------------- */

static void note_sequence(struct ingest *ingest, uint32_t numbering, const struct record *record)
{
    const struct schema_ops *ops = record->schema->ops;
    struct datagram_sequence sequence;
    if (ops->sequence == NULL || !ops->sequence(record->schema, record->message, &sequence))
        return;
    struct sequence_key key = {.listener = ingest->listener->index,
                               .numbering = numbering,
                               .source = &record->source,
                               .sender = sequence.sender.data,
                               .sender_size = sequence.sender.size,
                               .recent = &ingest->sender};
    sequence_queue_note(&ingest->thread->numbers, &key, sequence.boot_id, sequence.number,
                        ingest->counters);
}

/* --- datagrams -------------------------------------------------------------------------------- */

/* A copy for the dead letters; of a capture, which can wait, none is lost for want of room. */
static void keep_letter(struct ingest *ingest, const struct datagram_slot *datagram,
                        const struct refusal *refusal, const char *schema)
{
    const struct ingest_thread *thread = ingest->thread;
    if (thread->letters == NULL || !datagram_reason_has_letter[refusal->reason])
        return;
    while (thread->lossless && !dead_letter_queue_has_room(thread->letters, datagram->size) &&
           fan_out_pause(thread->fan_out))
        continue;
    dead_letter_offer(thread->letters, ingest->listener, datagram, refusal->reason,
                      &refusal->failure, schema);
}

static void refuse(struct ingest *ingest, const struct datagram_slot *datagram,
                   const struct refusal *refusal, const struct schema_entry *entry)
{
    enum datagram_reason reason = refusal->reason;
    const char *schema = entry != NULL ? entry->schema->name : ingest->listener->schema_names;
    counter_add(&ingest->counters->reasons[reason], 1);
    keep_letter(ingest, datagram, refusal, schema);
    uint64_t held;
    if (reason == REASON_CONTROL || !log_allowed(&ingest->log, &held))
        return;
    char source[ADDRESS_TEXT_SIZE];
    char why[DECODE_FAILURE_TEXT_SIZE];
    address_format(&datagram->source, source);
    decode_failure_text(&refusal->failure, why);
    char more[64] = "";
    if (held != 0)
        snprintf(more, sizeof more, " (and %" PRIu64 " refused since the last such line)", held);
    log_about(LOG_WARNING, LOG_OF_LISTENER, ingest->listener->name,
              "%s: datagram of %" PRIu32 " bytes from %s (schema=%s)%s%s%s",
              datagram_reason_names[reason], datagram->sent_size, source, schema,
              why[0] != '\0' ? ", " : "", why, more);
}

/* Appends the datagram's records to the open batch, all at once. */
static void append(struct ingest *ingest, const struct schema_entry *entry,
                   const struct chain *chain)
{
    counter_add(&ingest->counters->decoded, 1);
    counter_add(&ingest->counters->messages, chain->count);
    counter_add(&ingest->counters->unknown_fields, chain->unknown_fields);
    struct mismatch_hint *hint = ingest->listener->hint;
    if (hint != NULL && mismatch_hint_wants(&ingest->hint, chain->unknown_fields))
        mismatch_hint_look(hint, &ingest->hint, ingest->listener->name, chain->first,
                           clock_monotonic_ns());
    for (struct record *record = chain->first, *next; record != NULL; record = next) {
        next = record->next;
        batch_append(ingest->into->batch, record);
        note_sequence(ingest, entry->numbering, record);
    }
}

void ingest_take(struct ingest *ingest, const struct datagram_slot *datagram)
{
    struct ingest_counters *counters = ingest->counters;
    counter_add(&counters->received, 1);
    counter_add(&counters->bytes, datagram->sent_size);
    if (ingest->thread->traffic != NULL)
        traffic_note(ingest->thread->traffic, ingest->listener->index, &datagram->source,
                     datagram->sent_size);

    struct refusal refusal;
    const struct schema_entry *entry;
    struct chain chain;
    if (judge(ingest, datagram, &chain, &entry, &refusal))
        append(ingest, entry, &chain);
    else
        refuse(ingest, datagram, &refusal, entry);
}
