#include "collector/receive/refusals.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/text/json_reader.h"

/*
 * Copies a refused datagram for the dead letters. A thread that must not lose datagrams waits until
 * the queue has room, so that no dead letter is dropped.
 */
static void keep_letter(const struct ingest *ingest, const struct datagram_slot *slot,
                        const struct refusal *refusal, const char *schema)
{
    const struct ingest_thread *thread = ingest->thread;
    if (thread->dead_letters == NULL)
        return;
    while (thread->lossless && !dead_letter_queue_has_room(thread->dead_letters, slot->size) &&
           fan_out_pause(thread->fan_out))
        continue;
    dead_letter_offer(thread->dead_letters, ingest->listener, slot, refusal->reason,
                      &refusal->failure, schema);
}

static void keep_raw(struct open_datagram *open, const struct datagram_slot *slot)
{
    const struct ingest *ingest = open->ingest;
    bool has_batch = open_datagram_has_batch(open);
    while (has_batch) {
        struct record *record = datagram_keep_raw(open->batch, ingest->listener, slot);
        if (record != NULL) {
            batch_append_raw(open->batch, record);
            return;
        }
        has_batch = !open_datagram_has_largest(open) && open_datagram_next_batch(open);
    }
    fan_out_lose_raw(ingest->thread->fan_out);
}

static void log_refusal(struct ingest *ingest, const struct datagram_slot *slot,
                        const struct refusal *refusal, const char *schema)
{
    uint64_t suppressed;
    if (!log_allowed(&ingest->logs[refusal->reason], &suppressed))
        return;
    char source[ADDRESS_TEXT_SIZE];
    char why[DECODE_FAILURE_TEXT_SIZE];
    address_format(&slot->source, source);
    decode_failure_text(&refusal->failure, why);
    char more[64] = "";
    if (suppressed != 0)
        snprintf(more, sizeof more, " (and %" PRIu64 " refused since the last such line)",
                 suppressed);
    log_about(LOG_WARNING, LOG_OF_LISTENER, ingest->listener->name,
              "%s: datagram of %" PRIu32 " bytes from %s (schema=%s)%s%s%s",
              datagram_reason_names[refusal->reason], slot->sent_size, source, schema,
              why[0] != '\0' ? ", " : "", why, more);
}

/*
 * Returns true if the datagram may begin with JSON because its framing is OTLP over UDP. The first
 * line of that framing is JSON.
 */
static bool has_json_head(const struct open_datagram *open)
{
    if (open->entry != NULL)
        return open->entry->framing == FRAMING_OTLP_UDP;
    for (size_t i = 0; open->batch != NULL && i < open->batch->schemas->count; i++)
        if (open->batch->schemas->entries[i].framing == FRAMING_OTLP_UDP)
            return true;
    return false;
}

/*
 * Returns true if the datagram was probably refused because it is JSON. The reasons vary: a framing
 * reads the beginning of JSON text as a length, a schema reads it as a field.
 */
static bool is_json(const struct open_datagram *open, const struct datagram_slot *slot,
                    const struct refusal *refusal)
{
    switch (refusal->reason) {
    case REASON_NO_MATCH:
    case REASON_TOO_DEEP:
    case REASON_TOO_LARGE:
    case REASON_MALFORMED:
        return json_begins((const char *)slot->front, datagram_front_size(slot)) &&
               !has_json_head(open);
    default:
        return false;
    }
}

void refuse_datagram(struct open_datagram *open, const struct datagram_slot *slot,
                     const struct refusal *found, const char *schema)
{
    struct ingest *ingest = open->ingest;
    struct refusal named = *found;
    const struct refusal *refusal = &named;
    RULE(ingest->in_hand == open, "a datagram is refused while it is handled");
    enum datagram_reason reason = refusal->reason;
    if (named.failure.cause != CAUSE_JSON && is_json(open, slot, &named))
        named.failure = (struct decode_failure){.cause = CAUSE_JSON};
    if (named.failure.cause == CAUSE_JSON)
        counter_add(&ingest->counters->json, 1);
    bool has_copies = datagram_reason_has_letter[reason];
    if (schema == NULL)
        schema = ingest->listener->schema_names;
    counter_add(&ingest->counters->reasons[reason], 1);
    if (has_copies)
        keep_letter(ingest, slot, refusal, schema);
    if (reason != REASON_CONTROL && reason != REASON_HANDSHAKE)
        log_refusal(ingest, slot, refusal, schema);
    /* Must be last: the copy may change the batch, whose schemas own the text of `schema`. */
    if (has_copies && ingest->listener->keeps_raw && !slot->truncated)
        keep_raw(open, slot);
}
