#include "collector/receive/open_datagram.h"

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/receive/sender_numbers.h"

/* --- the batch -------------------------------------------------------------------------------- */

static bool open_batch(struct open_datagram *open, bool large)
{
    struct ingest *ingest = open->ingest;
    RULE(open->batch == NULL && ingest->into->batch == NULL, "a batch is opened if there is none");
    ingest->into->opened_ns = 0;
    open->batch =
        open_batch_acquire(ingest->thread, ingest->listener, ingest->into == &ingest->own, large);
    return open->batch != NULL;
}

bool open_datagram_has_batch(struct open_datagram *open)
{
    return open->batch != NULL || open_batch(open, false);
}

bool open_datagram_next_batch(struct open_datagram *open)
{
    struct ingest *ingest = open->ingest;
    RULE(open->batch != NULL, "only an open batch is replaced");
    RULE(ingest->into->batch == NULL, "a datagram owns its batch until that is replaced");
    bool was_empty = batch_is_empty(open->batch);
    ingest->into->batch = open->batch;
    open->batch = NULL;
    open->entry = NULL;
    open_batch_seal(ingest->thread, ingest->into);
    if (was_empty)
        ingest->into = &ingest->own; /* a large batch belongs to one ingest only */
    return open_batch(open, was_empty);
}

bool open_datagram_is_ready(struct open_datagram *open, struct refusal *refusal)
{
    if (open->entry != NULL)
        return true;
    if (!open_datagram_has_batch(open))
        return refused_for(refusal, REASON_NO_BUFFER);
    return open_datagram_find(open, refusal);
}

bool open_datagram_has_more_room(struct open_datagram *open, struct refusal *refusal)
{
    RULE(open->batch != NULL && open->entry != NULL,
         "a datagram is decoded by an entry of its batch");
    if (refusal->reason != REASON_TOO_LARGE || refusal->limited || open_datagram_has_largest(open))
        return false;
    if (!open_datagram_next_batch(open))
        return refused_for(refusal, REASON_NO_BUFFER);
    return open_datagram_find(open, refusal);
}

/* --- appending -------------------------------------------------------------------------------- */

static void look_for_mismatch(struct ingest *ingest, const struct record_chain *chain)
{
    struct mismatch_hint *hint = ingest->listener->hint;
    if (hint != NULL && mismatch_hint_wants(&ingest->hint, chain->unknown_fields))
        mismatch_hint_look(hint, &ingest->hint, ingest->listener->name, chain->first,
                           clock_monotonic_ns());
    if (hint != NULL && chain->series_repeated != 0)
        mismatch_hint_repeated(hint, ingest->listener->name, &chain->repeated_name);
}

void open_datagram_append(struct open_datagram *open, const struct record_chain *chain,
                          size_t datagrams)
{
    struct ingest *ingest = open->ingest;
    struct ingest_counters *counters = ingest->counters;
    RULE(schema_list_contains(open->batch->schemas, open->entry),
         "records are appended to the batch whose schemas decoded them");
    /*
     * `decoded` is last, so that a reader that sees the datagram also sees the counts of its
     * messages.
     */
    counter_add(&counters->messages, chain->count);
    counter_add(&counters->unknown_fields, chain->unknown_fields);
    if (chain->series_repeated != 0)
        counter_add(&counters->series_repeated, chain->series_repeated);
    counter_add(&counters->decoded, datagrams);
    look_for_mismatch(ingest, chain);
    for (struct record *record = chain->first, *next; record != NULL; record = next) {
        next = record->next;
        batch_append(open->batch, record);
        sender_numbers_note(ingest, open->entry->numbering, chain, record);
    }
}
