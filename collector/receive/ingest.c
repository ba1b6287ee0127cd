#include "collector/receive/ingest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/compiler.h"
#include "collector/base/networks.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/receive/assembly.h"
#include "collector/receive/datagram_decode.h"
#include "collector/record/mismatch_hint.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"
#include "collector/text/decimal.h"

/* How long one that loses nothing waits for the system's pages, until it has some again. */
#define PAGES_NS INT64_C(5000000000)

struct ingest {
    struct ingest_thread *thread;
    const struct listener *listener;
    struct ingest_counters *counters;
    struct open_batch own;
    struct open_batch *into; /* what it fills: its own, or one of the thread's */
    struct schema_list *schemas; /* that a datagram's entry is of: a reference; NULL: none */
    struct mismatch_hint_pace hint;
    struct sequence_recent sender; /* of the last datagram */
    struct assembly *assembly;     /* NULL: its messages have no segments */
    struct log_limit log;
};

static void drop_segment(void *context, const struct datagram_slot *datagram,
                         const struct refusal *refusal);

static bool make_assembly(struct ingest *ingest)
{
    const struct listener *listener = ingest->listener;
    struct error error;
    const struct assembly_options options = {
        .memory = listener->segment_memory,
        .longest = listener->max_decoded,
        .timeout_ns = listener->segment_timeout_ns,
        .give_up = drop_segment,
        .context = ingest,
    };
    return listener->segment_memory == 0 ||
           assembly_create(&ingest->assembly, &options, &error) == 0;
}

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
    if (!make_assembly(ingest)) {
        free(ingest);
        return NULL;
    }
    return ingest;
}

void ingest_destroy(struct ingest *ingest)
{
    if (ingest == NULL)
        return;
    schema_list_release(ingest->schemas);
    assembly_destroy(ingest->assembly);
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

/* --- schemas ---------------------------------------------------------------------------------- */

/*
 * The ingest has a reference of its own to the list that it finds a datagram's schema in, because
 * the batch that brought the list may be sealed, and given back, before the datagram is done with:
 * for another datagram that the assembly gives up, or for a copy of this one. The reference is kept
 * from one datagram to the next, which costs each a comparison.
 */
static void hold_schemas(struct ingest *ingest, struct schema_list *list)
{
    if (ingest->schemas == list)
        return;
    if (list != NULL)
        schema_list_retain(list);
    schema_list_release(ingest->schemas);
    ingest->schemas = list;
}

/* No datagram is being handled: a list that has been replaced may end. */
static void let_schemas_go(struct ingest *ingest)
{
    if (ingest->into->batch == NULL)
        hold_schemas(ingest, NULL);
}

/* --- batches ---------------------------------------------------------------------------------- */

void ingest_seal(struct ingest *ingest)
{
    open_batch_seal(ingest->thread, ingest->into);
    open_batch_seal(ingest->thread, &ingest->own);
    let_schemas_go(ingest);
}

/*
 * Whether it is worth waiting for a batch, where none was to be had. One that is in use comes back.
 * Where one is free, the system has no pages for it, and may never have: that is waited for once.
 */
static bool may_come(struct ingest_thread *thread, bool large)
{
    struct batch_pool_levels levels = batch_pool_levels(thread->pool);
    if ((large ? levels.large_free : levels.small_free) == 0) {
        thread->short_since_ns = 0;
        return true;
    }
    int64_t now = clock_monotonic_ns();
    if (thread->short_since_ns == 0)
        thread->short_since_ns = now;
    return now - thread->short_since_ns < PAGES_NS;
}

static bool open_batch(struct ingest *ingest, bool large)
{
    struct ingest_thread *thread = ingest->thread;
    struct batch *batch = batch_acquire(thread->pool, large);
    while (batch == NULL && thread->lossless && may_come(thread, large) &&
           fan_out_pause(thread->fan_out))
        batch = batch_acquire(thread->pool, large);
    if (batch == NULL)
        return false;
    thread->short_since_ns = 0;
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
        open_batch_seal(thread, ingest->into);
    ingest->into = into;
}

void ingest_drained(struct ingest *ingest, int64_t now_ns, int64_t next_ns)
{
    open_batch_drained(ingest->thread, &ingest->own, now_ns, next_ns);
}

/* A capture's time is that of its datagrams: the clock says nothing of it. */
static int64_t expire_segments(struct ingest *ingest, int64_t now_ns)
{
    if (ingest->assembly == NULL || assembly_held(ingest->assembly) == 0 ||
        ingest->thread->lossless)
        return INT64_MAX;
    int64_t wall_ns = clock_wall_ns();
    int64_t due_ns = assembly_expire(ingest->assembly, wall_ns);
    return due_ns == INT64_MAX ? due_ns : now_ns + (due_ns - wall_ns);
}

int64_t ingest_seal_if_due(struct ingest *ingest, int64_t now_ns)
{
    int64_t late_ns = expire_segments(ingest, now_ns);
    int64_t due_ns = open_batch_seal_if_due(ingest->thread, &ingest->own, now_ns);
    return late_ns < due_ns ? late_ns : due_ns;
}

void ingest_finish(struct ingest *ingest)
{
    if (ingest->assembly != NULL)
        assembly_finish(ingest->assembly);
}

/* What does not fit the rest of a batch starts the next; what does not fit that, a large one. */
static bool next_batch(struct ingest *ingest)
{
    bool was_empty = batch_is_empty(ingest->into->batch);
    open_batch_seal(ingest->thread, ingest->into);
    if (was_empty)
        ingest->into = &ingest->own; /* a large one is never shared */
    return open_batch(ingest, was_empty);
}

/*
 * Sees to it that a batch is open, and that *entry is of that batch's list: records refer to the
 * schemas of their own batch. *entry is NULL, or was found for the same datagram before; it remains
 * valid until this is called again. Returns false with *refusal.
 */
static bool find_entry(struct ingest *ingest, const struct datagram_slot *datagram,
                       const struct schema_entry **entry, struct refusal *refusal)
{
    if (ingest->into->batch == NULL && !open_batch(ingest, false))
        return refused_for(refusal, REASON_NO_BUFFER);
    if (*entry != NULL && ingest->schemas == ingest->into->batch->schemas)
        return true;
    hold_schemas(ingest, ingest->into->batch->schemas);
    *entry = schema_list_find(ingest->schemas, &datagram->source, datagram->front,
                              datagram_front_size(datagram));
    return *entry != NULL || refused_for(refusal, REASON_NO_MATCH);
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
 * Judges what is known before the datagram's bytes are. Returns false with *refusal. *entry is as
 * find_entry leaves it; NULL: no schema takes the datagram, or it was refused before.
 */
static bool admit(struct ingest *ingest, const struct datagram_slot *datagram,
                  const struct schema_entry **entry, struct refusal *refusal)
{
    *entry = NULL;
    /* An unused open batch is kept for the next datagram. */
    if (ingest->into->batch == NULL && !open_batch(ingest, false))
        return refused_for(refusal, REASON_NO_BUFFER);
    if (!may_send(ingest->listener, &datagram->source))
        return refused_for(refusal, REASON_SOURCE_DENIED);
    if (!may_send_more(ingest->listener, datagram))
        return refused_for(refusal, REASON_RATE_LIMITED);
    if (datagram->truncated)
        return refused_for(refusal, REASON_TRUNCATED);
    return find_entry(ingest, datagram, entry, refusal);
}

/* A message that was put together of several datagrams; its headers are gone. */
struct whole_message {
    struct datagram_slot slot;
    struct frame_number number;
};

static bool decode_one(struct ingest *ingest, const struct datagram_slot *datagram,
                       const struct whole_message *whole, const struct schema_entry *entry,
                       struct record_chain *chain, struct refusal *refusal)
{
    struct batch *batch = ingest->into->batch;
    if (whole == NULL)
        return datagram_decode(batch, ingest->listener, entry, datagram, chain, refusal);
    struct schema_entry bare = *entry;
    bare.framing = FRAMING_DATAGRAM;
    bool done = datagram_decode(batch, ingest->listener, &bare, &whole->slot, chain, refusal);
    chain->is_numbered = true;
    chain->number = whole->number;
    return done;
}

/*
 * Decodes what was admitted into the open batch: the datagram, or the message that is whole with
 * it. The batch may be another one than when it was admitted. Returns false with *refusal.
 */
static bool decode(struct ingest *ingest, const struct datagram_slot *datagram,
                   const struct whole_message *whole, struct record_chain *chain,
                   const struct schema_entry **entry, struct refusal *refusal)
{
    while (find_entry(ingest, datagram, entry, refusal)) {
        if (decode_one(ingest, datagram, whole, *entry, chain, refusal))
            return true;
        bool largest = ingest->into->batch->large && batch_is_empty(ingest->into->batch);
        if (refusal->reason != REASON_TOO_LARGE || refusal->limited || largest)
            return false;
        if (!next_batch(ingest))
            return refused_for(refusal, REASON_NO_BUFFER);
    }
    return false;
}

/* --- senders' numbers ------------------------------------------------------------------------- */

static void note(struct ingest *ingest, uint32_t numbering, const struct record *record,
                 const struct datagram_sequence *sequence, bool wraps)
{
    struct sequence_key key = {.listener = ingest->listener->index,
                               .numbering = numbering,
                               .spread = ingest->listener->spread,
                               .source = &record->source,
                               .sender = sequence->sender.data,
                               .sender_size = sequence->sender.size,
                               .recent = &ingest->sender,
                               .wraps = wraps};
    sequence_queue_note(&ingest->thread->numbers, &key, sequence->boot_id, sequence->number,
                        ingest->counters);
}

/*
 * A publisher may send from several ports, and counts for each of them: its name is "ID:PORT", in
 * decimal, for people to read.
 */
static void note_number(struct ingest *ingest, uint32_t numbering, const struct record *record,
                        const struct frame_number *number)
{
    char publisher[2 * 20 + 1];
    size_t size = decimal_uint64(number->publisher, publisher);
    publisher[size++] = ':';
    size += decimal_uint64(record->source.port, publisher + size);
    const struct datagram_sequence sequence = {.sender = {publisher, size},
                                               .number = number->message};
    note(ingest, numbering, record, &sequence, true);
}

static void note_sequence(struct ingest *ingest, uint32_t numbering, const struct record *record)
{
    const struct schema_ops *ops = record->schema->ops;
    struct datagram_sequence sequence;
    if (ops->sequence == NULL || !ops->sequence(record->schema, record->message, &sequence))
        return;
    note(ingest, numbering, record, &sequence, false);
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

/* Of the same datagrams, but for those that were cut, a copy for the sinks that pass them on. */
static void keep_raw(struct ingest *ingest, const struct datagram_slot *datagram,
                     const struct refusal *refusal)
{
    struct record *record = NULL;
    if (!ingest->listener->keeps_raw || datagram->truncated ||
        !datagram_reason_has_letter[refusal->reason])
        return;
    bool has_batch = ingest->into->batch != NULL || open_batch(ingest, false);
    while (has_batch) {
        record = datagram_keep_raw(ingest->into->batch, ingest->listener, datagram);
        if (record != NULL) {
            batch_append_raw(ingest->into->batch, record);
            return;
        }
        bool largest = ingest->into->batch->large && batch_is_empty(ingest->into->batch);
        has_batch = !largest && next_batch(ingest);
    }
    fan_out_lose_raw(ingest->thread->fan_out);
}

static void refuse(struct ingest *ingest, const struct datagram_slot *datagram,
                   const struct refusal *refusal, const struct schema_entry *entry)
{
    enum datagram_reason reason = refusal->reason;
    const char *schema = entry != NULL ? entry->schema->name : ingest->listener->schema_names;
    counter_add(&ingest->counters->reasons[reason], 1);
    keep_letter(ingest, datagram, refusal, schema);
    keep_raw(ingest, datagram, refusal);
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

/* Appends the records of so many datagrams to the open batch, all at once. */
static void append(struct ingest *ingest, const struct schema_entry *entry,
                   const struct record_chain *chain, size_t datagrams)
{
    // Whoever sees a datagram counted as decoded sees what came of it counted, too.
    counter_add(&ingest->counters->messages, chain->count);
    counter_add(&ingest->counters->unknown_fields, chain->unknown_fields);
    counter_add(&ingest->counters->decoded, datagrams);
    struct mismatch_hint *hint = ingest->listener->hint;
    if (hint != NULL && mismatch_hint_wants(&ingest->hint, chain->unknown_fields))
        mismatch_hint_look(hint, &ingest->hint, ingest->listener->name, chain->first,
                           clock_monotonic_ns());
    for (struct record *record = chain->first, *next; record != NULL; record = next) {
        next = record->next;
        batch_append(ingest->into->batch, record);
        if (chain->is_numbered)
            note_number(ingest, entry->numbering, record, &chain->number);
        else
            note_sequence(ingest, entry->numbering, record);
    }
}

static void count(struct ingest *ingest, const struct datagram_slot *datagram)
{
    struct ingest_counters *counters = ingest->counters;
    counter_add(&counters->received, 1);
    counter_add(&counters->bytes, datagram->sent_size);
    if (ingest->thread->traffic != NULL)
        traffic_note(ingest->thread->traffic, ingest->listener->index, &datagram->source,
                     datagram->sent_size);
}

/* --- segments --------------------------------------------------------------------------------- */

/* The number that waits is lowered before what was held is counted, and raised after that came. */
static void count_held(struct ingest *ingest, size_t less)
{
    counter_set(&ingest->counters->in_assembly, assembly_held(ingest->assembly) - less);
}

/* One that was held is counted where it is given up. It is held still, for that moment. */
static void drop_segment(void *context, const struct datagram_slot *datagram,
                         const struct refusal *refusal)
{
    struct ingest *ingest = context;
    count_held(ingest, 1);
    refuse(ingest, datagram, refusal, NULL);
}

static void take_whole(struct ingest *ingest, const struct datagram_slot *last,
                       const struct udp_notif *header, const struct schema_entry *entry)
{
    struct refusal refusal;
    struct record_chain chain;
    struct assembled message = assembly_message(ingest->assembly);
    const struct whole_message whole = {
        .slot = {.front = message.data,
                 .rest = message.data + DATAGRAM_FRONT_SIZE,
                 .size = (uint32_t)message.size,
                 .sent_size = (uint32_t)message.size,
                 .source = last->source,
                 .destination = last->destination,
                 .received_ns = last->received_ns},
        .number = {header->publisher, header->message},
    };
    bool done = decode(ingest, last, &whole, &chain, &entry, &refusal);
    assembly_settle(ingest->assembly, done ? NULL : &refusal);
    count_held(ingest, 0);
    if (done)
        append(ingest, entry, &chain, message.segments);
}

/* Returns false where it is no segment, but a message or none. */
static bool take_segment(struct ingest *ingest, const struct datagram_slot *datagram,
                         const struct schema_entry *entry)
{
    struct udp_notif header;
    struct refusal refusal;
    if (entry->framing != FRAMING_UDP_NOTIF ||
        udp_notif_read(datagram->front, datagram_front_size(datagram), datagram->size, &header) !=
            CAUSE_UNKNOWN ||
        !header.is_segment)
        return false;
    enum assembly_result result = ASSEMBLY_REFUSED;
    refused_for(&refusal, REASON_ASSEMBLY_FULL); /* a listener that had no such schema has none */
    if (ingest->assembly != NULL)
        result = assembly_take(ingest->assembly, datagram, &header, &refusal);
    if (result == ASSEMBLY_REFUSED)
        refuse(ingest, datagram, &refusal, entry);
    else if (result == ASSEMBLY_HELD)
        count_held(ingest, 0);
    else
        take_whole(ingest, datagram, &header, entry);
    return true;
}

/* --- taking ----------------------------------------------------------------------------------- */

void ingest_take(struct ingest *ingest, const struct datagram_slot *datagram)
{
    struct refusal refusal;
    const struct schema_entry *entry;
    struct record_chain chain;
    count(ingest, datagram);
    bool admitted = admit(ingest, datagram, &entry, &refusal);
    if (admitted && take_segment(ingest, datagram, entry))
        return;
    if (admitted && decode(ingest, datagram, NULL, &chain, &entry, &refusal))
        append(ingest, entry, &chain, 1);
    else
        refuse(ingest, datagram, &refusal, entry);
}

struct ingest_verdict ingest_take_frame(struct ingest *ingest, const struct datagram_slot *frame)
{
    struct refusal refusal;
    const struct schema_entry *entry;
    struct record_chain chain;
    count(ingest, frame);
    if (admit(ingest, frame, &entry, &refusal) &&
        decode(ingest, frame, NULL, &chain, &entry, &refusal)) {
        append(ingest, entry, &chain, 1);
        return (struct ingest_verdict){.schema = entry->schema, .message = chain.first->message};
    }
    struct ingest_verdict verdict = {.schema = entry != NULL ? entry->schema : NULL,
                                     .refused = refusal.reason};
    refuse(ingest, frame, &refusal, entry);
    return verdict;
}

void ingest_refuse_frame(struct ingest *ingest, const struct datagram_slot *frame,
                         enum datagram_reason reason)
{
    struct refusal refusal;
    count(ingest, frame);
    refused_for(&refusal, reason);
    refuse(ingest, frame, &refusal, NULL);
}
