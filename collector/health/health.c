#include "collector/health/health.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/sandbox.h"
#include "collector/text/json_writer.h"

/* A spill is reported as filling from this number of fifths of its size. */
#define SPILL_FIFTHS 4

#define NOTES (HEALTH_MEMORY_NS / HEALTH_EVERY_NS + 1)

/* A count of losses, and the total for is_share. If the total is 0, any loss is reported. */
struct loss {
    uint64_t count, of;
    bool reported; /* in a note: the share was reported, then or later */
};

static struct loss any_loss(uint64_t count)
{
    return (struct loss){.count = count};
}

static struct loss share_lost(uint64_t count, uint64_t of)
{
    return (struct loss){.count = count, .of = of};
}

/*
 * Returns true if losses are a large enough share of the total (HEALTH_SHARE). The limits are
 * halved for a share that is already reported.
 */
static bool is_share(uint64_t count, uint64_t of, bool reported)
{
    uint64_t counted = reported ? 2 * count : count;
    return counted >= HEALTH_SHARE_LEAST && counted >= (of + HEALTH_SHARE - 1) / HEALTH_SHARE;
}

static uint64_t sum_of(const uint64_t *counts, const int *which, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[which[i]];
    return sum;
}

/*
 * Returns the kernel's drops. With kernel_filter=on these include refused datagrams, which are not
 * losses, so the result is 0.
 */
static struct loss kernel_drops(const struct listener_totals *listener)
{
    return any_loss(listener->drops.filtered ? 0 : listener->kernel_drops);
}

static struct loss no_buffer(const struct listener_totals *listener)
{
    return any_loss(listener->reasons[REASON_NO_BUFFER]);
}

static struct loss undecodable(const struct listener_totals *listener)
{
    static const int which[] = {REASON_TRUNCATED, REASON_NO_MATCH,  REASON_EMPTY,
                                REASON_TOO_DEEP,  REASON_TOO_LARGE, REASON_MALFORMED};
    uint64_t count = sum_of(listener->reasons, which, sizeof which / sizeof *which);
    return share_lost(count, listener->received);
}

static struct loss assembly_full(const struct listener_totals *listener)
{
    return any_loss(listener->reasons[REASON_ASSEMBLY_FULL]);
}

static struct loss segments_missing(const struct listener_totals *listener)
{
    return any_loss(listener->reasons[REASON_SEGMENTS_MISSING]);
}

static struct loss numbers_lost(const struct listener_totals *listener)
{
    return share_lost(listener->lost, listener->received);
}

static struct loss connections_refused(const struct listener_totals *listener)
{
    return any_loss(listener->over_limit + listener->unwatched + listener->accept_errors);
}

static struct loss connections_cut(const struct listener_totals *listener)
{
    uint64_t count = listener->frame_cut + listener->frame_timeout + listener->bad_frame +
                     listener->content_type + listener->tls_failed;
    return share_lost(count, listener->connections);
}

static struct loss capture_cut(const struct listener_totals *listener)
{
    return any_loss(listener->cut + listener->incomplete);
}

/*
 * Returns the records that the sink's queues refused. Records refused because the sink has ended
 * have another reason.
 */
static struct loss records_refused(const struct sink_totals *sink)
{
    return any_loss(sink->refused[REFUSED_RING_FULL] + sink->refused[REFUSED_LISTENER_SHARE]);
}

static struct loss records_evicted(const struct sink_totals *sink)
{
    return any_loss(sink->evicted);
}

static struct loss records_failed(const struct sink_totals *sink)
{
    uint64_t count = 0;
    for (size_t i = 0; i < FAILURE_COUNT; i++)
        count += sink->failed[i];
    return any_loss(count);
}

static struct loss records_unknown(const struct sink_totals *sink)
{
    return any_loss(sink->unknown);
}

static struct loss samples_left_out(const struct sink_totals *sink)
{
    return any_loss(sink->points_rejected + sink->left_out);
}

static struct loss raw_refused(const struct sink_totals *sink)
{
    return any_loss(sink->raw_refused);
}

/* In the order in which they are reported. */
static const struct {
    enum health_reason reason;
    struct loss (*find)(const struct listener_totals *listener);
} listener_losses[] = {
    {HEALTH_KERNEL_DROPS, kernel_drops},
    {HEALTH_NO_BUFFER, no_buffer},
    {HEALTH_UNDECODABLE, undecodable},
    {HEALTH_ASSEMBLY_FULL, assembly_full},
    {HEALTH_SEGMENTS_MISSING, segments_missing},
    {HEALTH_NUMBERS_LOST, numbers_lost},
    {HEALTH_CONNECTIONS_REFUSED, connections_refused},
    {HEALTH_CONNECTIONS_CUT, connections_cut},
    {HEALTH_CAPTURE_CUT, capture_cut},
};

static const struct {
    enum health_reason reason;
    struct loss (*find)(const struct sink_totals *sink);
} sink_losses[] = {
    {HEALTH_RECORDS_REFUSED, records_refused},   {HEALTH_RECORDS_EVICTED, records_evicted},
    {HEALTH_RECORDS_FAILED, records_failed},     {HEALTH_RECORDS_UNKNOWN, records_unknown},
    {HEALTH_SAMPLES_LEFT_OUT, samples_left_out}, {HEALTH_RAW_REFUSED, raw_refused},
};

enum {
    LISTENER_LOSSES = sizeof listener_losses / sizeof *listener_losses,
    SINK_LOSSES = sizeof sink_losses / sizeof *sink_losses,
    LOSSES = LISTENER_LOSSES > SINK_LOSSES ? LISTENER_LOSSES : SINK_LOSSES
};

/* Letters that rate= drops are not counted, because the operator configured that. */
static uint64_t dead_letters_dropped(const struct dead_letter_totals *dead_letters)
{
    uint64_t count = 0;
    for (size_t i = 0; i < DROP_COUNT; i++)
        count += i == DROPPED_RATE ? 0 : dead_letters->dropped[i];
    return count;
}

/*
 * The counts at one time: first listeners, then sinks, each at its index in the ledger. A listener
 * or sink that was added later counts from 0.
 */
struct note {
    int64_t at_ns;
    uint64_t dead_letters;
    size_t listeners, sinks; /* number of rows in `counts` for each */
    struct loss counts[][LOSSES];
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
    note->dead_letters = dead_letters_dropped(&ledger->dead_letters);
    for (size_t i = 0; i < ledger->listener_count; i++) {
        RULE(ledger->listeners[i].index < listeners, "a note has a row for each listener");
        for (size_t loss = 0; loss < LISTENER_LOSSES; loss++)
            note->counts[ledger->listeners[i].index][loss] =
                listener_losses[loss].find(&ledger->listeners[i]);
    }
    for (size_t i = 0; i < ledger->sink_count; i++) {
        RULE(ledger->sinks[i].index < sinks, "a note has a row for each sink");
        for (size_t loss = 0; loss < SINK_LOSSES; loss++)
            note->counts[listeners + ledger->sinks[i].index][loss] =
                sink_losses[loss].find(&ledger->sinks[i]);
    }
    return note;
}

/* Returns the latest note that is at least a minute old, or NULL during the first minute. */
static struct note *before_last_minute(const struct health *health, int64_t now_ns)
{
    struct note *found = NULL;
    for (size_t i = 0; i < health->count; i++) {
        struct note *note = health->notes[(health->first + i) % NOTES];
        if (now_ns - note->at_ns < HEALTH_MEMORY_NS)
            break;
        found = note;
    }
    return found;
}

/* Returns a count of the note, or NULL if the note does not have this listener or sink. */
static struct loss *noted(struct note *note, bool of_sink, size_t index, size_t loss)
{
    if (note == NULL || index >= (of_sink ? note->sinks : note->listeners))
        return NULL;
    return &note->counts[of_sink ? note->listeners + index : index][loss];
}

/*
 * The notes for computing losses. `first` is about a minute old: the reported losses are those
 * since then. `last` is the newest note, and has whether each loss was reported. Either may be
 * NULL.
 */
struct period {
    struct note *first, *last;
};

static struct period last_minute(const struct health *health, int64_t now_ns)
{
    struct period period = {.first = before_last_minute(health, now_ns)};
    if (health->count != 0)
        period.last = health->notes[(health->first + health->count - 1) % NOTES];
    return period;
}

/*
 * Returns the losses since period.first, or 0 if they need not be reported. Notes in period.last
 * whether they are reported.
 */
static uint64_t lost_in(struct period period, bool of_sink, size_t index, size_t loss,
                        struct loss now)
{
    const struct loss *first = noted(period.first, of_sink, index, loss);
    struct loss *last = noted(period.last, of_sink, index, loss);
    struct loss then = first != NULL ? *first : (struct loss){0};
    uint64_t count = now.count > then.count ? now.count - then.count : 0;
    if (now.of == 0)
        return count;
    bool reported = is_share(count, now.of - then.of, last != NULL && last->reported);
    if (last != NULL)
        last->reported = reported;
    return reported ? count : 0;
}

static void note_reports(struct note *note, const struct health *health,
                         const struct ledger_snapshot *ledger)
{
    struct period period = last_minute(health, note->at_ns);
    for (size_t i = 0; i < ledger->listener_count; i++) {
        size_t index = ledger->listeners[i].index;
        for (size_t loss = 0; loss < LISTENER_LOSSES; loss++) {
            struct loss *now = noted(note, false, index, loss);
            now->reported = now->of != 0 && lost_in(period, false, index, loss, *now) != 0;
        }
    }
}

void health_note(struct health *health, const struct ledger_snapshot *ledger, int64_t now_ns)
{
    struct note *note = make_note(ledger, now_ns);
    if (note == NULL)
        return;
    note_reports(note, health, ledger);
    RULE(health->count <= NOTES && health->first < NOTES, "notes are in their ring");
    struct note **place = &health->notes[(health->first + health->count) % NOTES];
    free(*place);
    *place = note;
    if (health->count < NOTES)
        health->count++;
    else
        health->first = (health->first + 1) % NOTES;
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* The list of reasons. The first reason begins the JSON array. */
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
    json_member_text(out, "reason", word);
    if (of == NULL)
        return;
    json_member_text(out, of, name);
}

static void add_error(struct reasons *reasons, const char *why)
{
    if (*why != '\0')
        json_member_text(reasons->out, "error", why);
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
        add_error(reasons, sink->reason);
        end_reason_for(reasons, now_ns - condition->fails_since_ns);
    } else if (condition->waits_since_ns != 0 &&
               now_ns - condition->waits_since_ns >= health->stall_timeout_ns) {
        begin_reason(reasons, HEALTH_SINK_WAITS, "sink", sink->name);
        add_error(reasons, sink->reason);
        end_reason_for(reasons, now_ns - condition->waits_since_ns);
    } else if (condition->oldest_ns != 0 &&
               now_ns - condition->oldest_ns >= health->stall_timeout_ns) {
        begin_reason(reasons, HEALTH_SINK_BEHIND, "sink", sink->name);
        end_reason_for(reasons, now_ns - condition->oldest_ns);
    }
    if (condition->spill_size != 0 &&
        condition->spill_bytes >= condition->spill_size / 5 * SPILL_FIFTHS) {
        begin_reason(reasons, HEALTH_SPILL_FILLS, "sink", sink->name);
        json_key_literal(reasons->out, "limit");
        json_uint64(reasons->out, condition->spill_size);
        end_reason_of(reasons, condition->spill_bytes);
    }
    if (condition->spill_full_ns != 0) {
        begin_reason(reasons, HEALTH_SPILL_FULL, "sink", sink->name);
        end_reason_for(reasons, now_ns - condition->spill_full_ns);
    }
    if (condition->spill_kept != 0) {
        begin_reason(reasons, HEALTH_SPILL_KEPT, "sink", sink->name);
        end_reason_of(reasons, condition->spill_kept);
    }
}

static void report_loss(struct reasons *reasons, enum health_reason reason, const char *of,
                        const char *name, uint64_t count)
{
    if (count == 0)
        return;
    begin_reason(reasons, reason, of, name);
    end_reason_of(reasons, count);
}

static void report_losses(struct reasons *reasons, struct health *health,
                          const struct health_facts *facts)
{
    const struct ledger_snapshot *ledger = facts->ledger;
    struct period period = last_minute(health, facts->now_ns);
    for (size_t loss = 0; loss < LISTENER_LOSSES; loss++) {
        for (size_t i = 0; i < ledger->listener_count; i++) {
            const struct listener_totals *listener = &ledger->listeners[i];
            report_loss(reasons, listener_losses[loss].reason, "listener", listener->name,
                        lost_in(period, false, listener->index, loss,
                                listener_losses[loss].find(listener)));
        }
    }
    for (size_t loss = 0; loss < SINK_LOSSES; loss++) {
        for (size_t i = 0; i < ledger->sink_count; i++) {
            const struct sink_totals *sink = &ledger->sinks[i];
            report_loss(reasons, sink_losses[loss].reason, "sink", sink->name,
                        lost_in(period, true, sink->index, loss, sink_losses[loss].find(sink)));
        }
    }
    uint64_t dead_letters = dead_letters_dropped(&ledger->dead_letters);
    uint64_t dead_letters_then = period.first == NULL ? 0 : period.first->dead_letters;
    report_loss(reasons, HEALTH_LETTERS_DROPPED, "dead_letters", ledger->dead_letters.name,
                dead_letters - dead_letters_then);
}

static bool is_stuck(const struct health *health, const struct health_facts *facts)
{
    return facts->silent_since_ns != INT64_MAX &&
           facts->now_ns - facts->silent_since_ns >= health->stall_timeout_ns;
}

static void report_reasons(struct reasons *reasons, struct health *health,
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
    for (size_t i = 0; i < facts->levels->left_count; i++) {
        begin_reason(reasons, HEALTH_SPILL_LEFT, "sink", facts->levels->left[i].name);
        end_reason_of(reasons, facts->levels->left[i].records);
    }
    report_losses(reasons, health, facts);
    if (reasons->any)
        json_array_end(reasons->out);
}

static void report_past(struct output *out, const struct health_facts *facts)
{
    bool any = false;
    for (size_t i = 0; i < facts->levels->sink_count; i++) {
        const struct sink_level *sink = &facts->levels->sinks[i];
        struct reasons seconds = {.out = out};
        if (sink->past.until_ns == 0 || sink->reason[0] != '\0')
            continue;
        if (!any) {
            json_key_literal(out, "past");
            json_array_begin(out);
        }
        any = true;
        json_object_begin(out);
        json_member_text(out, "sink", sink->name);
        json_member_text(out, "error", sink->past.reason);
        json_key_literal(out, "ended_seconds_ago");
        json_double(out, (double)((facts->now_ns - sink->past.until_ns) / 1000000) / 1e3);
        end_reason_for(&seconds, sink->past.until_ns - sink->past.since_ns);
    }
    if (any)
        json_array_end(out);
}

/* Writes the reasons to a buffer without room, to find out if there are any. */
static bool is_degraded(struct health *health, const struct health_facts *facts)
{
    char nowhere[1];
    struct output out = {.data = nowhere};
    struct reasons reasons = {.out = &out};
    report_reasons(&reasons, health, facts);
    return reasons.any;
}

static enum health_status health_judge(struct health *health, const struct health_facts *facts)
{
    if (facts->stopping)
        return HEALTH_STOPPING;
    if (is_stuck(health, facts))
        return HEALTH_STUCK;
    return is_degraded(health, facts) ? HEALTH_DEGRADED : HEALTH_READY;
}

/* For information only: the sandbox does not affect the status. */
static void report_sandbox(struct output *out)
{
    const struct sandbox_state *sandbox = sandbox_in_force();
    if (sandbox != NULL)
        json_member_text(out, "sandbox", sandbox->text);
}

enum health_status health_report(struct health *health, const struct health_facts *facts,
                                 struct output *out)
{
    enum health_status status = health_judge(health, facts);
    const char *word = health_statuses[status].name;
    struct reasons reasons = {.out = out};
    json_object_begin(out);
    json_member_text(out, "status", word);
    if (status == HEALTH_DEGRADED || status == HEALTH_STUCK)
        report_reasons(&reasons, health, facts);
    report_past(out, facts);
    report_sandbox(out);
    json_object_end(out);
    output_char(out, '\n');
    return status;
}
