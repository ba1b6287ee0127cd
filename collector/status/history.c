#include "collector/status/history.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/json_writer.h"

#define MINUTE_MS 60000

/* The maximum number of columns of a series. */
#define COLUMNS_MAX 96

/* The source of a column's values. */
enum column_kind {
    COLUMN_COUNTER,   /* a uint64_t at `total` in the totals */
    COLUMN_LEVEL,     /* like COLUMN_COUNTER, but the value also decreases */
    COLUMN_IN_FLIGHT, /* a sink's records in flight */
    COLUMN_FILL,      /* how full a sink's fullest queue is, in thousandths */
};

struct column {
    const char *group; /* the JSON object that contains it, or NULL */
    const char *name;  /* NULL: its name is `number` */
    size_t number;
    size_t total;
    enum column_kind kind;
};

/* The series of listeners, of sinks, or of all threads. */
struct kind {
    const char *name;
    bool listed; /* true: several series with indexes; false: one, without an index */
    struct column columns[COLUMNS_MAX];
    size_t column_count;
    size_t most;   /* size of `series`, including the series of all */
    size_t newest; /* lowest index that no listener or sink has had yet */
    struct series *series;
    int64_t *values; /* values of all series: see history_slot */
};

struct series {
    bool used;
    bool retired;
    size_t index; /* index in the ledger; unused in the first series, which has the sums */
};

/* The slots of a ring, for all series. */
struct ring {
    size_t capacity;
    size_t first, count; /* oldest slot; number of used slots */
    struct slot *slots;
};

/* Times in milliseconds, as in status_history_note. */
struct slot {
    int64_t from, to;
};

enum { KIND_DECODE, KIND_LISTENERS, KIND_SINKS, KINDS };

struct history {
    struct kind kinds[KINDS];
    struct ring rings[2];
    struct slot slots[HISTORY_SECONDS + HISTORY_MINUTES];
    int64_t noted_ms; /* time of the last note */
};

/* --- columns ---------------------------------------------------------------------------------- */

static void add_column(struct kind *kind, struct column column)
{
    RULE(kind->column_count < COLUMNS_MAX, "the columns of a series have room");
    kind->columns[kind->column_count++] = column;
}

/*
 * Adds the terms that the sums have, the terms that are always printed, and the terms of sequence
 * numbers.
 */
static void history_add_terms(struct kind *kind, const struct ledger_term *terms)
{
    for (; terms->name != NULL; terms++)
        if (terms->part == PART_FLOW || terms->part == PART_NOW || terms->part == PART_ALWAYS ||
            terms->part == PART_SEQUENCE)
            add_column(kind, (struct column){.name = terms->name,
                                             .kind = terms->part == PART_NOW ? COLUMN_LEVEL
                                                                             : COLUMN_COUNTER,
                                             .total = terms->total});
}

static void add_counts(struct kind *kind, const char *group, const char *const *names, size_t count,
                       size_t totals)
{
    for (size_t i = 0; i < count; i++)
        add_column(kind, (struct column){.group = group,
                                         .name = names[i],
                                         .total = totals + i * sizeof(uint64_t)});
}

static void add_ranges(struct kind *kind, const char *group, size_t histogram)
{
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        add_column(kind,
                   (struct column){.group = group,
                                   .number = i,
                                   .total = histogram + offsetof(struct histogram_totals, ranges) +
                                            i * sizeof(uint64_t)});
}

static void name_columns(struct history *history, struct history_size size)
{
    struct kind *decode = &history->kinds[KIND_DECODE];
    struct kind *listeners = &history->kinds[KIND_LISTENERS];
    struct kind *sinks = &history->kinds[KIND_SINKS];
    *decode = (struct kind){.name = "decode", .most = 1};
    add_ranges(decode, "decode_latency", offsetof(struct thread_totals, decode_latency));
    *listeners = (struct kind){.name = "listeners", .listed = true, .most = 1 + size.listeners};
    history_add_terms(listeners, listener_terms);
    add_counts(listeners, "reasons", datagram_reason_names, REASON_COUNT,
               offsetof(struct listener_totals, reasons));
    *sinks = (struct kind){.name = "sinks", .listed = true, .most = 1 + size.sinks};
    history_add_terms(sinks, offer_terms);
    history_add_terms(sinks, sink_terms);
    add_counts(sinks, "refused", record_refusal_names, REFUSAL_COUNT,
               offsetof(struct sink_totals, refused));
    add_counts(sinks, "failed", record_failure_names, FAILURE_COUNT,
               offsetof(struct sink_totals, failed));
    add_ranges(sinks, "write_time", offsetof(struct sink_totals, write_time));
    add_column(sinks, (struct column){.name = "in_flight", .kind = COLUMN_IN_FLIGHT});
    add_column(sinks, (struct column){.name = "queue_fill", .kind = COLUMN_FILL});
}

/* --- memory ----------------------------------------------------------------------------------- */

/*
 * Returns how many values a series has: its columns at the last note, then its seconds, then its
 * minutes.
 */
static size_t values_of_series(const struct kind *kind)
{
    return kind->column_count * (1 + HISTORY_SECONDS + HISTORY_MINUTES);
}

static int64_t *last_of(const struct kind *kind, size_t series)
{
    return kind->values + series * values_of_series(kind);
}

/* Returns the values of a series in a slot, one per column. */
static int64_t *history_slot(const struct kind *kind, size_t series, enum history_ring ring,
                             size_t slot)
{
    size_t before = 1 + (ring == HISTORY_OF_SECONDS ? 0 : HISTORY_SECONDS);
    return last_of(kind, series) + (before + slot) * kind->column_count;
}

struct history *status_history_create(struct history_size size)
{
    struct history *history = calloc(1, sizeof *history);
    if (history == NULL)
        return NULL;
    name_columns(history, size);
    history->rings[HISTORY_OF_SECONDS] =
        (struct ring){.capacity = HISTORY_SECONDS, .slots = history->slots};
    history->rings[HISTORY_OF_MINUTES] =
        (struct ring){.capacity = HISTORY_MINUTES, .slots = history->slots + HISTORY_SECONDS};
    for (size_t i = 0; i < KINDS; i++) {
        struct kind *kind = &history->kinds[i];
        kind->series = calloc(kind->most, sizeof *kind->series);
        kind->values = calloc(kind->most * values_of_series(kind), sizeof *kind->values);
        if (kind->series == NULL || kind->values == NULL) {
            status_history_destroy(history);
            return NULL;
        }
        kind->series[0].used = true;
    }
    return history;
}

void status_history_destroy(struct history *history)
{
    if (history == NULL)
        return;
    for (size_t i = 0; i < KINDS; i++) {
        free(history->kinds[i].series);
        free(history->kinds[i].values);
    }
    free(history);
}

size_t status_history_memory(struct history_size size)
{
    struct history history;
    size_t memory = sizeof history;
    name_columns(&history, size);
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &history.kinds[i];
        memory +=
            kind->most * (sizeof *kind->series + values_of_series(kind) * sizeof *kind->values);
    }
    return memory;
}

static size_t between(size_t count, size_t least, size_t most)
{
    return count < least ? least : count > most ? most : count;
}

struct history_size status_history_size(size_t listeners, size_t sinks, uint64_t memory)
{
    struct history_size size = {between(listeners, HISTORY_LISTENERS, HISTORY_MOST),
                                between(sinks, HISTORY_SINKS, HISTORY_MOST)};
    while (memory != 0 && status_history_memory(size) > memory &&
           (size.listeners > HISTORY_LISTENERS || size.sinks > HISTORY_SINKS)) {
        if (size.listeners - HISTORY_LISTENERS > size.sinks - HISTORY_SINKS)
            size.listeners--;
        else
            size.sinks--;
    }
    return size;
}

/* --- recording -------------------------------------------------------------------------------- */

/* Clears and returns the next slot, which is the oldest one if the ring is full. */
static size_t begin_slot(struct history *history, enum history_ring which)
{
    struct ring *ring = &history->rings[which];
    size_t slot = (ring->first + ring->count) % ring->capacity;
    if (ring->count < ring->capacity)
        ring->count++;
    else
        ring->first = (ring->first + 1) % ring->capacity;
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *kind = &history->kinds[i];
        for (size_t k = 0; k < kind->most; k++)
            if (kind->series[k].used)
                memset(history_slot(kind, k, which, slot), 0,
                       kind->column_count * sizeof *kind->values);
    }
    ring->slots[slot].from = history->noted_ms;
    return slot;
}

static size_t last_slot(const struct ring *ring)
{
    return (ring->first + ring->count - 1) % ring->capacity;
}

/* Returns the slot of the present minute; the first note in a minute begins a new slot. */
static size_t minute_slot(struct history *history, int64_t at_ms)
{
    struct ring *minutes = &history->rings[HISTORY_OF_MINUTES];
    size_t slot = minutes->count == 0 ? 0 : last_slot(minutes);
    if (minutes->count == 0 || (minutes->slots[slot].to - 1) / MINUTE_MS != (at_ms - 1) / MINUTE_MS)
        slot = begin_slot(history, HISTORY_OF_MINUTES);
    minutes->slots[slot].to = at_ms;
    return slot;
}

/* The slots that one note writes, for one kind of series. */
struct note {
    const struct kind *kind;
    size_t second, minute; /* index of each slot */
};

/* Adds the values of a series; `values` has the present values of its columns. */
static void note_series(const struct note *note, size_t series, const int64_t *values)
{
    const struct kind *kind = note->kind;
    RULE(series < kind->most, "a series is one of its kind");
    RULE(note->second < HISTORY_SECONDS && note->minute < HISTORY_MINUTES,
         "a note's slots are in their rings");
    int64_t *last = last_of(kind, series);
    int64_t *second = history_slot(kind, series, HISTORY_OF_SECONDS, note->second);
    int64_t *minute = history_slot(kind, series, HISTORY_OF_MINUTES, note->minute);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].kind == COLUMN_COUNTER) {
            second[i] = values[i] - last[i];
            minute[i] += second[i];
        } else {
            second[i] = values[i];
            minute[i] = values[i] > minute[i] ? values[i] : minute[i];
        }
    }
    memcpy(last, values, kind->column_count * sizeof *values);
}

/*
 * Returns the index of the series for a listener or sink: its own, a free one, or one of a retired
 * listener or sink. Returns 0 if there is none.
 */
static size_t find_series(struct kind *kind, size_t index, bool retired, const int64_t *values)
{
    size_t found = 0;
    for (size_t i = 1; i < kind->most; i++) {
        if (kind->series[i].used && kind->series[i].index == index) {
            kind->series[i].retired = retired;
            return i;
        }
        bool better = found == 0 || (kind->series[found].used && !kind->series[i].used);
        if ((!kind->series[i].used || kind->series[i].retired) && better)
            found = i;
    }
    if (found == 0 || retired)
        return 0;
    if (kind->series[found].used) /* an unused series is zero, and its pages stay untouched */
        memset(last_of(kind, found), 0, values_of_series(kind) * sizeof *kind->values);
    /*
     * A listener or sink that existed before it got this series begins with its present counts, so
     * that these are not an increase.
     */
    if (index < kind->newest)
        memcpy(last_of(kind, found), values, kind->column_count * sizeof *values);
    kind->series[found] = (struct series){.used = true, .index = index};
    return found;
}

static int64_t fill_of(const struct pipeline_levels *levels, const struct sink_totals *sink)
{
    for (size_t i = 0; i < levels->sink_count && !sink->retired; i++)
        if (strcmp(levels->sinks[i].name, sink->name) == 0)
            return (int64_t)(1000 * levels->sinks[i].queue.fill);
    return 0;
}

/* Reads the columns of `totals`. */
static void read_columns(const struct kind *kind, const void *totals,
                         const struct pipeline_levels *levels, int64_t *values)
{
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        const uint64_t *total = (const void *)((const char *)totals + column->total);
        switch (column->kind) {
        case COLUMN_COUNTER:
        case COLUMN_LEVEL:
            values[i] = (int64_t)*total;
            break;
        case COLUMN_IN_FLIGHT:
            values[i] = ((const struct sink_totals *)totals)->in_flight;
            break;
        case COLUMN_FILL:
            values[i] = fill_of(levels, totals);
            break;
        }
    }
}

/*
 * Adds the values to the sums. For the fill of queues, keeps the highest value instead of the sum.
 */
static void add_columns(const struct kind *kind, int64_t *sums, const int64_t *values)
{
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].kind != COLUMN_FILL)
            sums[i] += values[i];
        else if (values[i] > sums[i])
            sums[i] = values[i];
    }
}

static void note_decoding(const struct note *note, const struct ledger_snapshot *ledger)
{
    int64_t sums[COLUMNS_MAX] = {0};
    int64_t values[COLUMNS_MAX];
    for (size_t i = 0; i < ledger->thread_count; i++) {
        read_columns(note->kind, &ledger->threads[i], NULL, values);
        add_columns(note->kind, sums, values);
    }
    note_series(note, 0, sums);
}

static void note_listeners(struct kind *kind, const struct note *note,
                           const struct ledger_snapshot *ledger)
{
    int64_t sums[COLUMNS_MAX] = {0};
    int64_t values[COLUMNS_MAX];
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *listener = &ledger->listeners[i];
        read_columns(kind, listener, NULL, values);
        add_columns(kind, sums, values);
        size_t series = find_series(kind, listener->index, listener->retired, values);
        if (series != 0)
            note_series(note, series, values);
    }
    note_series(note, 0, sums);
    kind->newest = ledger_listener_indexes(ledger);
}

static void note_sinks(struct kind *kind, const struct note *note,
                       const struct ledger_snapshot *ledger, const struct pipeline_levels *levels)
{
    int64_t sums[COLUMNS_MAX] = {0};
    int64_t values[COLUMNS_MAX];
    for (size_t i = 0; i < ledger->sink_count; i++) {
        const struct sink_totals *sink = &ledger->sinks[i];
        read_columns(kind, sink, levels, values);
        add_columns(kind, sums, values);
        size_t series = find_series(kind, sink->index, sink->retired, values);
        if (series != 0)
            note_series(note, series, values);
    }
    note_series(note, 0, sums);
    kind->newest = ledger_sink_indexes(ledger);
}

void status_history_note(struct history *history, const struct ledger_snapshot *ledger,
                         const struct pipeline_levels *levels, int64_t at_ms)
{
    RULE(at_ms >= history->noted_ms, "notes are made in the order of time");
    size_t second = begin_slot(history, HISTORY_OF_SECONDS);
    history->rings[HISTORY_OF_SECONDS].slots[second].to = at_ms;
    size_t minute = minute_slot(history, at_ms);
    history->noted_ms = at_ms;
    struct note note = {&history->kinds[KIND_DECODE], second, minute};
    note_decoding(&note, ledger);
    note.kind = &history->kinds[KIND_LISTENERS];
    note_listeners(&history->kinds[KIND_LISTENERS], &note, ledger);
    note.kind = &history->kinds[KIND_SINKS];
    note_sinks(&history->kinds[KIND_SINKS], &note, ledger, levels);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* The `count` slots of a ring from `first` on, which are to be written. */
struct span {
    const struct history *history;
    enum history_ring ring;
    size_t first, count;
};

static size_t slot_at(const struct span *span, size_t i)
{
    return (span->first + i) % span->history->rings[span->ring].capacity;
}

static int64_t value_at(const struct span *span, const struct kind *kind, size_t series,
                        size_t column, size_t i)
{
    return history_slot(kind, series, span->ring, slot_at(span, i))[column];
}

static bool history_is_empty(const struct span *span, const struct kind *kind, size_t series,
                             size_t column)
{
    for (size_t i = 0; i < span->count; i++)
        if (value_at(span, kind, series, column, i) != 0)
            return false;
    return true;
}

static void write_key(struct output *out, const struct column *column)
{
    if (column->name != NULL) {
        json_key(out, column->name, strlen(column->name));
        return;
    }
    char digits[4];
    size_t at = sizeof digits;
    size_t left = column->number;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0 && at != 0);
    json_key(out, digits + at, sizeof digits - at);
}

static void write_column(const struct span *span, const struct kind *kind, size_t series,
                         size_t column, struct output *out)
{
    write_key(out, &kind->columns[column]);
    json_array_begin(out);
    for (size_t i = 0; i < span->count; i++)
        json_int64(out, value_at(span, kind, series, column, i));
    json_array_end(out);
}

/* Writes the columns; columns of one group are consecutive. */
static void write_columns(const struct span *span, const struct kind *kind, size_t series,
                          struct output *out)
{
    const char *open = NULL;
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct column *column = &kind->columns[i];
        if (history_is_empty(span, kind, series, i))
            continue;
        if (open != NULL && column->group != open)
            json_object_end(out);
        if (column->group != NULL && column->group != open) {
            json_key(out, column->group, strlen(column->group));
            json_object_begin(out);
        }
        open = column->group;
        write_column(span, kind, series, i, out);
    }
    if (open != NULL)
        json_object_end(out);
}

static void write_series(const struct span *span, const struct kind *kind, size_t series,
                         struct output *out)
{
    json_object_begin(out);
    if (kind->listed) {
        json_key_literal(out, "index");
        if (series == 0)
            json_null(out);
        else
            json_uint64(out, kind->series[series].index);
    }
    write_columns(span, kind, series, out);
    json_object_end(out);
}

static void write_kind(const struct span *span, const struct kind *kind, struct output *out)
{
    json_key(out, kind->name, strlen(kind->name));
    if (!kind->listed) {
        write_series(span, kind, 0, out);
        return;
    }
    json_array_begin(out);
    for (size_t i = 0; i < kind->most; i++)
        if (kind->series[i].used)
            write_series(span, kind, i, out);
    json_array_end(out);
}

void status_history_write(const struct history *history, enum history_ring ring, size_t most,
                          struct output *out)
{
    const struct ring *slots = &history->rings[ring];
    size_t count = slots->count < most ? slots->count : most;
    const struct span span = {history, ring, slots->first + slots->count - count, count};
    json_object_begin(out);
    json_member_int64(out, "from", count == 0 ? 0 : slots->slots[slot_at(&span, 0)].from);
    json_key_literal(out, "at");
    json_array_begin(out);
    for (size_t i = 0; i < count; i++)
        json_int64(out, slots->slots[slot_at(&span, i)].to);
    json_array_end(out);
    for (size_t i = 0; i < KINDS; i++)
        write_kind(&span, &history->kinds[i], out);
    json_object_end(out);
}
