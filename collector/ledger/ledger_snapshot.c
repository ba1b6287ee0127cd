#include "collector/ledger/ledger_snapshot.h"

#include <stddef.h>
#include <stdlib.h>

#include "collector/text/copy.h"

/* Copies all texts that a reload can replace to `to`, unless it is NULL. Returns their size. */
static size_t move_texts(struct ledger_snapshot *snapshot, char *to)
{
    size_t size = 0;
    for (size_t i = 0; i < snapshot->listener_count; i++) {
        size += text_move(&snapshot->listeners[i].name, to, size);
        size += text_move(&snapshot->listeners[i].schema, to, size);
    }
    for (size_t i = 0; i < snapshot->sink_count; i++)
        size += text_move(&snapshot->sinks[i].name, to, size);
    if (snapshot->dead_letters.name != NULL)
        size += text_move(&snapshot->dead_letters.name, to, size);
    return size;
}

bool ledger_snapshot_keep_texts(struct ledger_snapshot *snapshot)
{
    snapshot->texts = malloc(move_texts(snapshot, NULL) + 1); /* + 1: not malloc(0) */
    if (snapshot->texts == NULL)
        return false;
    move_texts(snapshot, snapshot->texts);
    return true;
}

void ledger_snapshot_free(struct ledger_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    free(snapshot->texts);
    free(snapshot->threads);
    free(snapshot->listeners);
    free(snapshot->sinks);
    free(snapshot);
}

bool ledger_has_term(const struct listener_totals *listener, const struct ledger_term *term)
{
    if (term->part > PART_SEQUENCE)
        return listener->kind->part == term->part;
    return !listener->spread || term->total != offsetof(struct listener_totals, reordered);
}

const char *ledger_drops_name(const struct listener_totals *listener)
{
    return listener->drops.filtered ? KERNEL_DROPS_AND_FILTERED : "kernel_drops";
}

#define ADD_END(name, ...) ends += listener->name;

static bool connections_balance(const struct listener_totals *listener)
{
    uint64_t ends = 0;
    CONNECTION_END_TERMS(ADD_END)
    return listener->connections == ends;
}

static bool sessions_balance(const struct listener_totals *listener)
{
    uint64_t ends = 0;
    SESSION_END_TERMS(ADD_END)
    return listener->sessions == ends &&
           listener->handshakes == listener->sessions + listener->handshakes_failed;
}

static bool listener_balances(const struct listener_totals *listener)
{
    uint64_t accounted = listener->decoded;
    for (int i = 0; i < REASON_COUNT; i++)
        accounted += listener->reasons[i];
    if (listener->received != accounted || listener->in_assembly != 0)
        return false;
    if (listener->kind->part == PART_CONNECTIONS)
        return connections_balance(listener);
    if (listener->kind->part == PART_SESSIONS)
        return sessions_balance(listener);
    if (listener->kind->part != PART_CAPTURE)
        return true;
    return listener->frames == listener->received - listener->reassembled + listener->fragments +
                                   listener->other + listener->cut;
}

/* A message is a record, so `offered` must equal `messages`. */
static bool sink_balances(const struct sink_totals *sink)
{
    uint64_t offered = sink->queued;
    for (int i = 0; i < REFUSAL_COUNT; i++)
        offered += sink->refused[i];
    uint64_t completed =
        sink->written + sink->filtered + sink->evicted + sink->unknown + sink->spilled;
    for (int i = 0; i < FAILURE_COUNT; i++)
        completed += sink->failed[i];
    return sink->in_flight == 0 && sink->offered == offered &&
           sink->queued + sink->recovered == completed && sink->offered == sink->messages &&
           sink->raw_offered == sink->raw_sent + sink->raw_refused;
}

static bool dead_letters_balance(const struct ledger_snapshot *snapshot)
{
    const struct dead_letter_totals *dead_letters = &snapshot->dead_letters;
    uint64_t accounted = dead_letters->kept;
    uint64_t refused = 0;
    for (int i = 0; i < DROP_COUNT; i++)
        accounted += dead_letters->dropped[i];
    for (size_t i = 0; i < snapshot->listener_count; i++)
        for (int reason = 0; reason < REASON_COUNT; reason++)
            if (datagram_reason_has_letter[reason])
                refused += snapshot->listeners[i].reasons[reason];
    return dead_letters->name == NULL ||
           (dead_letters->offered == accounted && dead_letters->offered == refused);
}

bool ledger_balances(const struct ledger_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->listener_count; i++)
        if (!listener_balances(&snapshot->listeners[i]))
            return false;
    for (size_t i = 0; i < snapshot->sink_count; i++)
        if (!sink_balances(&snapshot->sinks[i]))
            return false;
    return dead_letters_balance(snapshot);
}
