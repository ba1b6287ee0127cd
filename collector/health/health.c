#include "collector/health/health.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"

/* A spill fills up when so many fifths of it are taken. */
#define SPILL_FIFTHS 4

#define NOTES (HEALTH_MEMORY_NS / HEALTH_EVERY_NS + 1)

/* What is lost at a listener, and at a sink. */
enum loss { LOSS_FIRST, LOSS_SECOND, LOSSES };

static const enum health_reason listener_losses[LOSSES] = {HEALTH_KERNEL_DROPS, HEALTH_NO_BUFFER};
static const enum health_reason sink_losses[LOSSES] = {HEALTH_RECORDS_REFUSED,
                                                       HEALTH_RECORDS_EVICTED};

/*
 * The counts at one time, of listeners and then of sinks, each at its index in the ledger; who is
 * not there yet has lost nothing.
 */
struct note {
    int64_t at_ns;
    size_t listeners, sinks; /* indexes are below these */
    uint64_t counts[][LOSSES];
};

struct health {
    int64_t stall_timeout_ns;
    struct note *notes[NOTES]; /* a ring */
    size_t first, count;
};

struct health *health_create(int64_t stall_timeout_ns)
{
    struct health *health = calloc(1, sizeof *health);
    if (health != NULL)
        health->stall_timeout_ns = stall_timeout_ns;
    return health;
}

void health_destroy(struct health *health)
{
    if (health == NULL)
        return;
    for (size_t i = 0; i < NOTES; i++)
        free(health->notes[i]);
    free(health);
}

/* --- counts ----------------------------------------------------------------------------------- */

/* Where the kernel also counts what its filter refuses, its number says nothing of losses. */
static uint64_t listener_loss(const struct listener_totals *listener, int loss)
{
    if (loss == LOSS_SECOND)
        return listener->reasons[REASON_NO_BUFFER];
    return listener->drops.filtered ? 0 : listener->kernel_drops;
}

/* A sink that has ended is reported as such. */
static uint64_t sink_loss(const struct sink_totals *sink, int loss)
{
    if (loss == LOSS_SECOND)
        return sink->evicted;
    return sink->refused[REFUSED_RING_FULL] + sink->refused[REFUSED_LISTENER_SHARE];
}

/* Returns NULL where memory is short. */
static struct note *make_note(const struct ledger_snapshot *ledger, int64_t now_ns)
{
    size_t listeners = ledger_listener_indexes(ledger);
    size_t sinks = ledger_sink_indexes(ledger);
    struct note *note = calloc(1, sizeof *note + (listeners + sinks) * sizeof note->counts[0]);
    if (note == NULL)
        return NULL;
    note->at_ns = now_ns;
    note->listeners = listeners;
    note->sinks = sinks;
    for (int loss = 0; loss < LOSSES; loss++) {
        for (size_t i = 0; i < ledger->listener_count; i++)
            note->counts[ledger->listeners[i].index][loss] =
                listener_loss(&ledger->listeners[i], loss);
        for (size_t i = 0; i < ledger->sink_count; i++)
            note->counts[listeners + ledger->sinks[i].index][loss] =
                sink_loss(&ledger->sinks[i], loss);
    }
    return note;
}

void health_note(struct health *health, const struct ledger_snapshot *ledger, int64_t now_ns)
{
    struct note *note = make_note(ledger, now_ns);
    if (note == NULL)
        return;
    struct note **place = &health->notes[(health->first + health->count) % NOTES];
    free(*place);
    *place = note;
    if (health->count < NOTES)
        health->count++;
    else
        health->first = (health->first + 1) % NOTES;
}

/* The last note that is as old as the memory goes back, or NULL: all that was lost is recent. */
static const struct note *before_last_minute(const struct health *health, int64_t now_ns)
{
    const struct note *found = NULL;
    for (size_t i = 0; i < health->count; i++) {
        const struct note *note = health->notes[(health->first + i) % NOTES];
        if (now_ns - note->at_ns < HEALTH_MEMORY_NS)
            break;
        found = note;
    }
    return found;
}

static uint64_t count_then(const struct note *note, bool of_sink, size_t index, int loss)
{
    if (note == NULL || index >= (of_sink ? note->sinks : note->listeners))
        return 0;
    return note->counts[of_sink ? note->listeners + index : index][loss];
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* The reasons as they are found; the first one begins the list. */
struct reasons {
    struct output *out;
    bool any;
};

static void begin_reason(struct reasons *reasons, enum health_reason reason, const char *of,
                         const char *name)
{
    const char *word = health_reasons[reason].name;
    struct output *out = reasons->out;
    if (!reasons->any) {
        json_key_literal(out, "reasons");
        json_array_begin(out);
    }
    reasons->any = true;
    json_object_begin(out);
    json_key_literal(out, "reason");
    json_string(out, word, strlen(word));
    if (of == NULL)
        return;
    json_key(out, of, strlen(of));
    json_string(out, name, strlen(name));
}

static void end_reason_for(struct reasons *reasons, int64_t nanoseconds)
{
    json_key_literal(reasons->out, "seconds");
    json_double(reasons->out, (double)(nanoseconds / 1000000) / 1e3);
    json_object_end(reasons->out);
}

static void end_reason_of(struct reasons *reasons, uint64_t count)
{
    json_key_literal(reasons->out, "count");
    json_uint64(reasons->out, count);
    json_object_end(reasons->out);
}

static void report_sink(struct reasons *reasons, const struct sink_level *sink,
                        const struct health *health, int64_t now_ns)
{
    const struct sink_condition *condition = &sink->condition;
    if (condition->ended) {
        begin_reason(reasons, HEALTH_SINK_ENDED, "sink", sink->name);
        json_object_end(reasons->out);
    } else if (condition->fails_since_ns != 0) {
        begin_reason(reasons, HEALTH_SINK_FAILS, "sink", sink->name);
        end_reason_for(reasons, now_ns - condition->fails_since_ns);
    } else if (condition->waits_since_ns != 0 &&
               now_ns - condition->waits_since_ns >= health->stall_timeout_ns) {
        begin_reason(reasons, HEALTH_SINK_WAITS, "sink", sink->name);
        end_reason_for(reasons, now_ns - condition->waits_since_ns);
    } else if (condition->oldest_ns != 0 &&
               now_ns - condition->oldest_ns >= health->stall_timeout_ns) {
        begin_reason(reasons, HEALTH_SINK_BEHIND, "sink", sink->name);
        end_reason_for(reasons, now_ns - condition->oldest_ns);
    }
    if (condition->spill_size != 0 &&
        condition->spill_bytes >= condition->spill_size / 5 * SPILL_FIFTHS) {
        begin_reason(reasons, HEALTH_SPILL_FILLS, "sink", sink->name);
        end_reason_of(reasons, condition->spill_bytes);
    }
}

static void report_losses(struct reasons *reasons, const struct health *health,
                          const struct health_facts *facts)
{
    const struct ledger_snapshot *ledger = facts->ledger;
    const struct note *then = before_last_minute(health, facts->now_ns);
    for (int loss = 0; loss < LOSSES; loss++) {
        for (size_t i = 0; i < ledger->listener_count; i++) {
            uint64_t now = listener_loss(&ledger->listeners[i], loss);
            uint64_t before = count_then(then, false, ledger->listeners[i].index, loss);
            if (now <= before)
                continue;
            begin_reason(reasons, listener_losses[loss], "listener", ledger->listeners[i].name);
            end_reason_of(reasons, now - before);
        }
        for (size_t i = 0; i < ledger->sink_count; i++) {
            uint64_t now = sink_loss(&ledger->sinks[i], loss);
            uint64_t before = count_then(then, true, ledger->sinks[i].index, loss);
            if (now <= before)
                continue;
            begin_reason(reasons, sink_losses[loss], "sink", ledger->sinks[i].name);
            end_reason_of(reasons, now - before);
        }
    }
}

static bool is_stuck(const struct health *health, const struct health_facts *facts)
{
    return facts->silent_since_ns != INT64_MAX &&
           facts->now_ns - facts->silent_since_ns >= health->stall_timeout_ns;
}

static void report_reasons(struct reasons *reasons, const struct health *health,
                           const struct health_facts *facts)
{
    if (is_stuck(health, facts)) {
        begin_reason(reasons, HEALTH_RECEIVER_STUCK, NULL, NULL);
        end_reason_for(reasons, facts->now_ns - facts->silent_since_ns);
    }
    for (size_t i = 0; i < facts->levels->listener_count; i++) {
        if (!facts->levels->listeners[i].group_lost)
            continue;
        begin_reason(reasons, HEALTH_GROUP_LOST, "listener", facts->levels->listeners[i].name);
        json_object_end(reasons->out);
    }
    for (size_t i = 0; i < facts->levels->sink_count; i++)
        report_sink(reasons, &facts->levels->sinks[i], health, facts->now_ns);
    report_losses(reasons, health, facts);
    if (reasons->any)
        json_array_end(reasons->out);
}

/* Whether there is a reason is found by writing them to nowhere. */
static bool is_degraded(const struct health *health, const struct health_facts *facts)
{
    char nowhere[1];
    struct output out = {.data = nowhere};
    struct reasons reasons = {.out = &out};
    report_reasons(&reasons, health, facts);
    return reasons.any;
}

static enum health_status judge(const struct health *health, const struct health_facts *facts)
{
    if (facts->stopping)
        return HEALTH_STOPPING;
    if (is_stuck(health, facts))
        return HEALTH_STUCK;
    return is_degraded(health, facts) ? HEALTH_DEGRADED : HEALTH_READY;
}

enum health_status health_report(const struct health *health, const struct health_facts *facts,
                                 struct output *out)
{
    enum health_status status = judge(health, facts);
    const char *word = health_statuses[status].name;
    struct reasons reasons = {.out = out};
    json_object_begin(out);
    json_key_literal(out, "status");
    json_string(out, word, strlen(word));
    if (status == HEALTH_DEGRADED || status == HEALTH_STUCK)
        report_reasons(&reasons, health, facts);
    json_object_end(out);
    output_char(out, '\n');
    return status;
}
