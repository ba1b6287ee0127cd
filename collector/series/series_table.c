#include "collector/series/series_table.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/counter.h"
#include "collector/base/rule.h"
#include "collector/series/series_senders.h"

/* The hand makes ROUNDS rounds in a timeout, and visits at most MOST_TICK slots for one record. */
#define ROUNDS    8
#define MOST_TICK 4096

struct slot {
    uint64_t series; /* fingerprint; 0 in an empty slot */
    uint32_t seen_s; /* time of its last sample */
    uint32_t sender; /* index in `senders`, if the series of a sender are limited */
};

struct series_table {
    struct slot *slots;
    size_t size;
    size_t most; /* upper limit of series */
    uint32_t per_sender;
    uint32_t timeout_s;
    struct counter count;
    struct series_senders senders;
    size_t hand;
    size_t due; /* number of slots that the hand must still visit */
    uint32_t ticked_s;
    bool has_ticked;
};

/* The table is at most three quarters full. Small tables get 8 slots more. */
static size_t slots_for(size_t series)
{
    return series + series / 3 + 8;
}

size_t series_table_memory(const struct series_table_options *options)
{
    return sizeof(struct series_table) + slots_for(options->series) * sizeof(struct slot) +
           (options->per_sender == 0 ? 0 : series_senders_memory(options->series));
}

struct series_table *series_table_create(const struct series_table_options *options)
{
    struct series_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    RULE(options->series != 0 && options->timeout_s != 0, "a table has series and a timeout");
    table->size = slots_for(options->series);
    table->most = options->series;
    table->per_sender = (uint32_t)options->per_sender;
    table->timeout_s = options->timeout_s;
    table->slots = malloc(table->size * sizeof *table->slots);
    if (table->slots == NULL ||
        (options->per_sender != 0 && !series_senders_init(&table->senders, table->most))) {
        series_table_destroy(table);
        return NULL;
    }
    memset(table->slots, 0, table->size * sizeof *table->slots); /* also populates the memory */
    return table;
}

void series_table_destroy(struct series_table *table)
{
    if (table == NULL)
        return;
    series_senders_free(&table->senders);
    free(table->slots);
    free(table);
}

size_t series_table_count(const struct series_table *table)
{
    return (size_t)counter_read(&table->count);
}

/* --- slots ------------------------------------------------------------------------------------ */

static size_t home_of(const struct series_table *table, uint64_t series)
{
    return (size_t)((series >> 32) * table->size >> 32);
}

static size_t next_of(const struct series_table *table, size_t at)
{
    return at + 1 == table->size ? 0 : at + 1;
}

/* Returns the slot of the series, or the empty slot in which its search ends. */
static size_t find(const struct series_table *table, uint64_t series)
{
    size_t at = home_of(table, series);
    while (table->slots[at].series != series && table->slots[at].series != 0)
        at = next_of(table, at);
    return at;
}

/* Returns the fingerprint to store: 0 means an empty slot, so it is replaced. */
static uint64_t kept(uint64_t series)
{
    return series == 0 ? 1 : series;
}

/*
 * Returns true if a search that begins at `home` reaches `to` no later than `at`. No slot between
 * them may be empty.
 */
static bool is_between(size_t home, size_t to, size_t at)
{
    return to <= at ? home <= to || home > at : home <= to && home > at;
}

/*
 * Empties a slot. A later series must move into the gap if the gap would end its search early; its
 * old slot is then the next gap.
 */
static void empty_slot(struct series_table *table, size_t gap)
{
    size_t at = gap;
    for (;;) {
        at = next_of(table, at);
        if (table->slots[at].series == 0)
            break;
        if (!is_between(home_of(table, table->slots[at].series), gap, at))
            continue;
        table->slots[gap] = table->slots[at];
        gap = at;
    }
    table->slots[gap] = (struct slot){0};
}

static void forget(struct series_table *table, size_t at)
{
    if (table->per_sender != 0)
        series_senders_remove(&table->senders, table->slots[at].sender);
    empty_slot(table, at);
    counter_set(&table->count, counter_read(&table->count) - 1);
}

/* --- the hand --------------------------------------------------------------------------------- */

/*
 * Returns true if the series has had no sample for the timeout. A sample may be later than `now_s`;
 * the series is then not idle.
 */
static bool is_idle(const struct series_table *table, const struct slot *slot, uint32_t now_s)
{
    int32_t idle_s = (int32_t)(now_s - slot->seen_s);
    return slot->series != 0 && idle_s > 0 && (uint32_t)idle_s > table->timeout_s;
}

/*
 * Moves the hand over slots and forgets idle series. A slot is checked again when a later series
 * has moved into it.
 */
static void move_hand(struct series_table *table, size_t slots, uint32_t now_s)
{
    for (size_t i = 0; i < slots; i++) {
        while (is_idle(table, &table->slots[table->hand], now_s))
            forget(table, table->hand);
        table->hand = next_of(table, table->hand);
    }
}

/*
 * Adds the slots that the hand must visit for the time since the last tick, at most one round in
 * all.
 */
static void add_due(struct series_table *table, uint32_t now_s)
{
    int32_t passed_s = (int32_t)(now_s - table->ticked_s);
    bool first = !table->has_ticked;
    table->ticked_s = now_s;
    table->has_ticked = true;
    if (first || passed_s <= 0)
        return;
    uint64_t due = (uint64_t)table->size * ROUNDS * (uint64_t)passed_s / table->timeout_s + 1;
    table->due = due > table->size - table->due ? table->size : table->due + (size_t)due;
}

void series_table_tick(struct series_table *table, uint32_t now_s)
{
    if (now_s != table->ticked_s || !table->has_ticked)
        add_due(table, now_s);
    if (table->due == 0)
        return;
    size_t now = table->due < MOST_TICK ? table->due : MOST_TICK;
    table->due -= now;
    move_hand(table, now, now_s);
}

/* --- series ----------------------------------------------------------------------------------- */

bool series_table_touch(struct series_table *table, uint64_t series, uint32_t now_s)
{
    struct slot *slot = &table->slots[find(table, kept(series))];
    if (slot->series == 0)
        return false;
    if ((int32_t)(now_s - slot->seen_s) > 0)
        slot->seen_s = now_s;
    return true;
}

static enum series_verdict verdict(const struct series_table *table, uint64_t sender)
{
    if (table->per_sender != 0 &&
        series_senders_count(&table->senders, sender) >= table->per_sender)
        return SERIES_SENDER_FULL;
    return counter_read(&table->count) >= table->most ? SERIES_TABLE_FULL : SERIES_ADDED;
}

enum series_verdict series_table_add(struct series_table *table, uint64_t series, uint64_t sender,
                                     uint32_t now_s)
{
    enum series_verdict said = verdict(table, sender);
    if (said != SERIES_ADDED) {
        move_hand(table, SERIES_HAND_STEPS, now_s);
        said = verdict(table, sender);
        if (said != SERIES_ADDED)
            return said;
    }
    size_t at = find(table, kept(series));
    RULE(table->slots[at].series == 0, "a known series is not added");
    table->slots[at] = (struct slot){
        .series = kept(series),
        .seen_s = now_s,
        .sender =
            table->per_sender == 0 ? SERIES_NO_SENDER : series_senders_add(&table->senders, sender),
    };
    counter_add(&table->count, 1);
    return SERIES_ADDED;
}
