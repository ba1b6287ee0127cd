#include "collector/record/mismatch_hint.h"

#include <inttypes.h>

#include "collector/base/parse_error.h"
#include "collector/contract/schema.h"
#include "collector/log/log.h"

void mismatch_hint_init(struct mismatch_hint *hint, struct schema_guess *guess)
{
    hint->guess = guess;
    mismatch_hint_restart(hint);
}

void mismatch_hint_restart(struct mismatch_hint *hint)
{
    atomic_store(&hint->next_ns, 0);
    atomic_store(&hint->no_line_logged, false);
    atomic_store(&hint->undeclared_logged, false);
    atomic_store(&hint->repeated_logged, false);
}

/* --- messages of another schema --------------------------------------------------------------- */

static bool is_mostly_unknown(const struct schema_fields *fields)
{
    return fields->unknown > fields->known;
}

static struct schema_fields fields_of(const struct record *record)
{
    return record->schema->ops->count_fields(record->schema, record->message);
}

static void log_schema(const struct mismatch_hint *hint, const char *listener,
                       const struct record *record, const struct schema_fields *fields)
{
    const char *fits = hint->guess == NULL ? NULL
                                           : schema_guess_name(hint->guess, record->schema->ops,
                                                               record->data, record->size);
    log_about(LOG_WARNING, LOG_OF_LISTENER, listener,
              "%s does not know %zu of %zu fields in a datagram: is schema= right?%s%s%s",
              record->schema->name, fields->unknown, fields->unknown + fields->known,
              fits != NULL ? " schema=" : "", fits != NULL ? fits : "",
              fits != NULL ? " knows them" : "");
}

static void look_for_undeclared(struct mismatch_hint *hint, const char *listener,
                                const struct record *first)
{
    struct schema_undeclared found;
    if (atomic_load_explicit(&hint->undeclared_logged, memory_order_relaxed))
        return;
    for (const struct record *record = first; record != NULL; record = record->next) {
        const struct schema_ops *ops = record->schema->ops;
        if (ops->find_undeclared == NULL ||
            !ops->find_undeclared(record->schema, record->message, &found))
            continue;
        if (!atomic_exchange(&hint->undeclared_logged, true))
            log_about(LOG_WARNING, LOG_OF_LISTENER, listener,
                      "field %" PRIu32 " of %s is an extension that no file of schema= declares; "
                      "add the .proto file that declares it",
                      found.number, found.message);
        return;
    }
}

void mismatch_hint_look(struct mismatch_hint *hint, struct mismatch_hint_pace *pace,
                        const char *listener, const struct record *first, int64_t now_ns)
{
    int64_t next_ns = atomic_load(&hint->next_ns);
    if (now_ns < next_ns)
        return;
    struct schema_fields fields = {0};
    look_for_undeclared(hint, listener, first);
    for (const struct record *record = first; record != NULL; record = record->next) {
        struct schema_fields one = fields_of(record);
        fields.known += one.known;
        fields.unknown += one.unknown;
    }
    if (!is_mostly_unknown(&fields)) {
        pace->in_order += pace->in_order < HINT_IN_ORDER;
        return;
    }
    pace->in_order = 0;
    if (atomic_compare_exchange_strong(&hint->next_ns, &next_ns, now_ns + MISMATCH_HINT_NS))
        log_schema(hint, listener, first, &fields);
}

/* --- messages without a line ------------------------------------------------------------------ */

/*
 * Returns true if the record has a sample. The small arena may cut texts that the schema makes for
 * the sample, but only the existence of a sample matters.
 */
static bool has_sample(const struct record *record)
{
    uint64_t room[64];
    struct arena scratch = {.base = (uint8_t *)room, .capacity = sizeof room};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct sample sample;
    return record->schema->ops->next_sample(record->schema, record->message, &cursor, &sample);
}

void mismatch_hint_no_line(struct mismatch_hint *hint, const char *listener,
                           const struct record *record, const char *sink)
{
    if (atomic_load_explicit(&hint->no_line_logged, memory_order_relaxed) ||
        !record->schema->has_samples || has_sample(record))
        return;
    struct schema_fields fields = fields_of(record);
    if (fields.known == 0 || is_mostly_unknown(&fields) ||
        atomic_exchange(&hint->no_line_logged, true))
        return;
    log_about(LOG_INFO, LOG_OF_LISTENER, listener,
              "a message has no metric value and so leaves no line in %s; view=message shows it",
              sink);
}

/* --- repeated series -------------------------------------------------------------------------- */

#define SHOWN_NAME 200

void mismatch_hint_repeated(struct mismatch_hint *hint, const char *listener,
                            const struct text *name)
{
    char shown[SHOWN_NAME];
    if (atomic_load_explicit(&hint->repeated_logged, memory_order_relaxed) ||
        atomic_exchange(&hint->repeated_logged, true))
        return;
    copy_printable(shown, sizeof shown, name->data, name->size);
    log_about(LOG_WARNING, LOG_OF_LISTENER, listener,
              "two samples \"%s\" of a message have the same name and labels, and a store keeps "
              "one of them; labels= can name a field in which they differ",
              shown);
}
