#include "collector/intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log.h"

struct intake {
    struct intake_thread *thread;
    const struct listener *listener;
    struct intake_counters *counters;
    struct batch *open; /* being filled, or NULL */
    int64_t opened_ns;  /* 0: not yet dated */
    struct log_limit log;
};

struct intake *intake_create(struct intake_thread *thread, const struct listener *listener)
{
    struct intake *intake = calloc(1, sizeof *intake);
    if (intake == NULL)
        return NULL;
    intake->thread = thread;
    intake->listener = listener;
    intake->counters = thread->counters[listener->index];
    return intake;
}

void intake_destroy(struct intake *intake)
{
    free(intake);
}

struct intake_counters *intake_counters(struct intake *intake)
{
    return intake->counters;
}

/* --- batches ---------------------------------------------------------------------------------- */

void intake_seal(struct intake *intake)
{
    struct batch *batch = intake->open;
    if (batch == NULL)
        return;
    intake->open = NULL;
    if (batch->count == 0)
        batch_release(batch);
    else
        feed_offer(intake->thread->feed, batch);
}

static bool open_batch(struct intake *intake, bool large)
{
    struct intake_thread *thread = intake->thread;
    struct batch *batch = batch_acquire(thread->pool, large);
    while (batch == NULL && thread->lossless && feed_pause(thread->feed))
        batch = batch_acquire(thread->pool, large);
    if (batch == NULL)
        return false;
    batch->listener = intake->listener;
    intake->open = batch;
    intake->opened_ns = 0;
    return true;
}

void intake_drained(struct intake *intake)
{
    if (intake->open != NULL && feed_is_idle(intake->thread->feed))
        intake_seal(intake);
}

int64_t intake_due(struct intake *intake, int64_t now_ns)
{
    if (intake->open == NULL)
        return INT64_MAX;
    if (intake->opened_ns == 0)
        intake->opened_ns = now_ns;
    double more = (double)(INTAKE_OPEN_MOST_NS - INTAKE_OPEN_LEAST_NS);
    return intake->opened_ns + INTAKE_OPEN_LEAST_NS +
           (int64_t)(more * feed_backlog(intake->thread->feed));
}

/* --- decoding --------------------------------------------------------------------------------- */

static void copy_payload(uint8_t *to, const struct datagram_slot *from)
{
    size_t front = from->size < DATAGRAM_FRONT_SIZE ? from->size : DATAGRAM_FRONT_SIZE;
    memcpy(to, from->front, front);
    if (from->size > front)
        memcpy(to + front, from->rest, from->size - front);
}

/*
 * Decodes into the open batch. On any other result than DECODE_OK the batch is as it was.
 * DECODE_TOO_LARGE with *limited says that more than max_decoded is needed, so that a larger batch
 * would not help.
 */
static enum decode_result decode_here(struct intake *intake, const struct datagram_slot *datagram,
                                      struct record **out, bool *limited)
{
    const struct listener *listener = intake->listener;
    struct arena *arena = &intake->open->arena;
    size_t start = arena->used;
    *limited = false;
    struct record *record = arena_allocate(arena, sizeof *record);
    uint8_t *data = arena_allocate(arena, datagram->size);
    enum decode_result result = DECODE_TOO_LARGE;
    if (record != NULL && data != NULL) {
        copy_payload(data, datagram);
        size_t capacity = arena->capacity;
        if (capacity - arena->used >= listener->max_decoded) {
            arena->capacity = arena->used + listener->max_decoded;
            *limited = true;
        }
        struct decoded decoded;
        result = listener->schema->ops->decode(listener->schema, data, datagram->size, arena,
                                               &intake->thread->scratch, &decoded);
        arena->capacity = capacity;
        *record = (struct record){.schema = listener->schema,
                                  .message = decoded.message,
                                  .data = data,
                                  .size = datagram->size,
                                  .source = datagram->source,
                                  .received_ns = datagram->received_ns};
    }
    arena->exhausted = false;
    if (result != DECODE_OK)
        arena->used = start;
    *out = record;
    return result;
}

/* What does not fit the rest of a batch starts the next; what does not fit that, a large one. */
static bool next_batch(struct intake *intake)
{
    bool was_empty = intake->open->count == 0;
    intake_seal(intake);
    return open_batch(intake, was_empty);
}

static enum datagram_reason reason_of(enum decode_result result)
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

/* Appends the datagram's record. Returns it, or NULL with *reason. */
static const struct record *append_record(struct intake *intake,
                                          const struct datagram_slot *datagram,
                                          enum datagram_reason *reason)
{
    for (;;) {
        struct record *record;
        bool limited;
        enum decode_result result = decode_here(intake, datagram, &record, &limited);
        if (result == DECODE_OK) {
            batch_append(intake->open, record);
            return record;
        }
        bool largest = intake->open->large && intake->open->count == 0;
        if (result != DECODE_TOO_LARGE || limited || largest) {
            *reason = reason_of(result);
            return NULL;
        }
        if (!next_batch(intake)) {
            *reason = REASON_NO_BUFFER;
            return NULL;
        }
    }
}

/* --- senders' numbers ------------------------------------------------------------------------- */

static void note_sequence(struct intake *intake, const struct record *record)
{
    const struct schema_ops *ops = record->schema->ops;
    struct datagram_sequence sequence;
    if (ops->sequence == NULL || !ops->sequence(record->schema, record->message, &sequence))
        return;
    struct sequence_key key = {.listener = intake->listener->index,
                               .source = &record->source,
                               .sender = sequence.sender.data,
                               .sender_size = sequence.sender.size};
    struct sequence_outcome outcome =
        sequence_note(intake->thread->sequences, &key, sequence.boot_id, sequence.number);
    struct intake_counters *counters = intake->counters;
    counter_add(&counters->lost, outcome.lost);
    counter_add(&counters->duplicated, outcome.duplicated);
    counter_add(&counters->reordered, outcome.reordered);
    counter_add(&counters->late, outcome.late);
    counter_add(&counters->restarted, outcome.restarted);
    counter_add(&counters->senders, outcome.new_senders);
    if (outcome.evicted != 0) {
        struct intake_counters *other = intake->thread->counters[outcome.evicted_listener];
        counter_add(&other->senders_evicted, 1);
        counter_add(&other->lost, outcome.evicted_lost);
    }
}

/* --- datagrams -------------------------------------------------------------------------------- */

static void refuse(struct intake *intake, const struct datagram_slot *datagram,
                   enum datagram_reason reason)
{
    counter_add(&intake->counters->reasons[reason], 1);
    uint64_t held;
    if (!log_allowed(&intake->log, &held))
        return;
    char source[ADDRESS_TEXT_SIZE];
    address_format(&datagram->source, source);
    char more[64] = "";
    if (held != 0)
        snprintf(more, sizeof more, " (and %" PRIu64 " refused since the last such line)", held);
    log_line(LOG_WARNING, "%s: %s: datagram of %" PRIu32 " bytes from %s (schema=%s)%s",
             intake->listener->name, datagram_reason_names[reason], datagram->sent_size, source,
             intake->listener->schema->ops->name, more);
}

void intake_take(struct intake *intake, const struct datagram_slot *datagram)
{
    struct intake_counters *counters = intake->counters;
    counter_add(&counters->received, 1);
    counter_add(&counters->bytes, datagram->sent_size);

    enum datagram_reason reason;
    const struct record *record = NULL;
    if (intake->open == NULL && !open_batch(intake, false))
        reason = REASON_NO_BUFFER;
    else if (datagram->truncated)
        reason = REASON_TRUNCATED;
    else if (datagram->size == 0 && !intake->listener->schema->ops->accepts_empty)
        reason = REASON_EMPTY;
    else
        record = append_record(intake, datagram, &reason);

    if (record == NULL) {
        refuse(intake, datagram, reason);
    } else {
        counter_add(&counters->decoded, 1);
        counter_add(&counters->messages, 1);
        note_sequence(intake, record);
    }
}
