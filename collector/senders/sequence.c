#include "collector/senders/sequence.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"
#include "collector/senders/sequence_fingerprint.h"
#include "collector/senders/sequence_sets.h"
#include "collector/senders/sequence_window.h"
#include "collector/senders/sharded_sets.h"
#include "collector/text/compiler.h"

struct sequence_table {
    struct sequence_sets ordered;
    struct sequence_sets spread;
    uint8_t secret[16];
};

size_t sequence_table_memory(size_t senders)
{
    return sizeof(struct sequence_table) + sequence_sets_memory(senders, SEQUENCE_WINDOW);
}

size_t sequence_spread_memory(uint32_t window)
{
    return sequence_sets_memory(SEQUENCE_SPREAD_SENDERS, window);
}

uint32_t sequence_spread_window(uint64_t apart)
{
    uint32_t window = SEQUENCE_SPREAD_LEAST;
    while (window < apart && window < SEQUENCE_SPREAD_MOST)
        window *= 2;
    return window;
}

struct sequence_table *sequence_table_create(size_t senders, const uint8_t secret[16])
{
    struct sequence_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    memcpy(table->secret, secret, sizeof table->secret);
    if (!sequence_sets_create(&table->ordered, senders, SEQUENCE_WINDOW, secret)) {
        sequence_table_destroy(table);
        return NULL;
    }
    return table;
}

bool sequence_add_spread(struct sequence_table *table, uint32_t window)
{
    RULE(table->spread.window == 0, "spread senders are added once");
    RULE(window >= SEQUENCE_SPREAD_LEAST && window <= SEQUENCE_SPREAD_MOST &&
             (window & (window - 1)) == 0,
         "a window is a power of two within its limits");
    return sequence_sets_create(&table->spread, SEQUENCE_SPREAD_SENDERS, window, table->secret);
}

void sequence_table_destroy(struct sequence_table *table)
{
    if (table == NULL)
        return;
    sequence_sets_destroy(&table->ordered);
    sequence_sets_destroy(&table->spread);
    free(table);
}

size_t sequence_senders_memory(size_t senders)
{
    return sequence_sets_senders_memory(senders);
}

bool sequence_keep_senders(struct sequence_table *table)
{
    return sequence_sets_keep_senders(&table->ordered) &&
           (table->spread.window == 0 || sequence_sets_keep_senders(&table->spread));
}

/* --- steps ------------------------------------------------------------------------------------ */

static void admit_sender(const struct sequence_sets *sets, struct slot slot,
                         const struct sequence_step *step, struct sequence_outcome *outcome)
{
    RULE(slot.set % SHARDS == step->set % SHARDS, "a sender's sets are in one shard");
    struct sequence_set *set = sequence_set_at(sets, slot.set);
    struct sequence_window window = sequence_window_at(sets, slot);
    if (set->last_used[slot.way] != 0) {
        outcome->evicted = 1;
        outcome->evicted_listener = (uint32_t)window.sender->listener;
        outcome->evicted_lost = sequence_window_unseen(window);
    }
    outcome->new_senders = 1;
    atomic_store_explicit(&set->fingerprint[slot.way], step->fingerprint[0], memory_order_relaxed);
    window.sender->fingerprint = step->fingerprint[1];
    window.sender->numbering = step->numbering & (SEQUENCE_NUMBERINGS - 1);
    window.sender->listener = step->sender.listener & (SEQUENCE_LISTENERS - 1);
    sequence_window_begin(window, step, outcome);
}

static void describe_sender(struct sequence_sender *sender, const struct sequence_key *key)
{
    size_t size = key->sender_size < sizeof sender->name ? key->sender_size : sizeof sender->name;
    *sender = (struct sequence_sender){
        .listener = key->listener, .source = *key->source, .name_size = size};
    sender->source.port = 0;
    sender->source.port_high = 0;
    if (size != 0)
        memcpy(sender->name, key->sender, size);
}

static void prefetch_set(const struct sequence_set *set)
{
    PREFETCH(set->fingerprint);
    PREFETCH(set->last_used);
}

static const struct sequence_sets *sets_of(const struct sequence_table *table,
                                           const struct sequence_step *step)
{
    return step->spread || step->several ? &table->spread : &table->ordered;
}

void sequence_begin(const struct sequence_table *table, struct sequence_step *step,
                    const struct sequence_key *key, uint64_t boot_id, uint64_t number)
{
    RULE(key->listener < SEQUENCE_LISTENERS && key->numbering < SEQUENCE_NUMBERINGS,
         "a sender has room for its listener and its numbering");
    step->spread = key->spread;
    step->several = key->several && table->spread.window != 0;
    const struct sequence_sets *sets = sets_of(table, step);
    sequence_fingerprint(table->secret, key, step->fingerprint);
    step->set = first_set(&sets->frame, step->fingerprint);
    step->numbering = key->numbering;
    step->wraps = key->wraps;
    step->boot_id = boot_id;
    step->number = number;
    step->count = 1;
    step->sender.listener = key->listener;
    if (sets->senders != NULL)
        describe_sender(&step->sender, key);
    prefetch_set(sequence_set_at(sets, step->set));
}

/*
 * Compares the number and the boot id before the fingerprint, which is expensive: with many senders
 * a number hardly ever extends a step.
 */
bool sequence_extend(const struct sequence_table *table, struct sequence_step *step,
                     const struct sequence_key *key, uint64_t boot_id, uint64_t number)
{
    uint64_t fingerprint[2];
    if (number != step->number + step->count || number == 0 || boot_id != step->boot_id ||
        step->count == SEQUENCE_RUN_MOST)
        return false;
    sequence_fingerprint(table->secret, key, fingerprint);
    if (memcmp(fingerprint, step->fingerprint, sizeof fingerprint) != 0)
        return false;
    step->count++;
    return true;
}

/*
 * Prefetches data of the sender. Does nothing if the sender is not in the table, or is moved before
 * sequence_end.
 */
void sequence_go_on(const struct sequence_table *table, const struct sequence_step *step)
{
    const struct sequence_sets *sets = sets_of(table, step);
    const struct sequence_set *set = sequence_set_at(sets, step->set);
    bool found = false;
    for (size_t i = 0; i < WAYS; i++) {
        if (atomic_load_explicit(&set->fingerprint[i], memory_order_relaxed) !=
            step->fingerprint[0])
            continue;
        found = true;
        PREFETCH(&set->sender[i]);
        PREFETCH(sequence_window_at(sets, (struct slot){step->set, i}).seen +
                 step->number % sets->window / 64);
    }
    if (!found)
        prefetch_set(sequence_set_at(sets, second_set(&sets->frame, step->set, step->fingerprint)));
}

/* The slot that has the step's sender (`found`), or the slot that a new sender will get. */
struct place {
    struct slot slot;
    bool found;
};

static struct place place_of(const struct sequence_sets *sets, const struct sequence_step *step)
{
    struct place place;
    place.found = sequence_sets_find(sets, step, &place.slot);
    if (!place.found)
        place.slot = sequence_sets_choose(sets, step);
    return place;
}

/* Enters the step's numbers. The caller holds the lock of the shard. */
static void enter(struct sequence_sets *sets, struct place place, const struct sequence_step *step,
                  struct sequence_outcome *outcome)
{
    struct slot slot = place.slot;
    struct sequence_suspect suspect = {.is_open = false};
    if (place.found) {
        suspect = sequence_sets_suspect(sets, slot);
        sequence_window_note(sequence_window_at(sets, slot), step, &suspect, outcome);
    } else {
        admit_sender(sets, slot, step, outcome);
    }
    if (step->spread) /* not counted: the cause may be the order in which sockets were read */
        outcome->reordered = 0;
    if (sets->senders != NULL && !sequence_is_next(outcome)) {
        struct sequence_sender *sender = &sets->senders[slot.set * WAYS + slot.way];
        if (!place.found)
            *sender = step->sender;
        sender->lost += outcome->lost;
        sender->duplicated += outcome->duplicated;
    }
    uint64_t tick = ++shard_of(&sets->frame, slot.set)->tick;
    sequence_sets_keep_suspect(sets, slot, tick, &suspect);
    sequence_set_at(sets, slot.set)->last_used[slot.way] = tick;
}

static void enter_in(struct sequence_sets *sets, const struct sequence_step *step,
                     struct sequence_outcome *outcome)
{
    struct shard *shard = shard_of(&sets->frame, step->set);
    mutex_lock(shard->mutex);
    enter(sets, place_of(sets, step), step, outcome);
    mutex_unlock(shard->mutex);
}

/*
 * Returns true if a sender with several paths may have the slot: it is empty, or its sender was
 * quiet.
 */
static bool is_available(struct sequence_sets *sets, struct slot slot)
{
    uint64_t last_used = sequence_set_at(sets, slot.set)->last_used[slot.way];
    return last_used == 0 || shard_of(&sets->frame, slot.set)->tick - last_used >= SEQUENCE_QUIET;
}

static bool knows(struct sequence_sets *sets, const struct sequence_step *step)
{
    struct shard *shard = shard_of(&sets->frame, step->set);
    struct slot slot;
    mutex_lock(shard->mutex);
    bool known = sequence_sets_find(sets, step, &slot);
    mutex_unlock(shard->mutex);
    return known;
}

/*
 * Enters the numbers of a sender with several paths: into its long window, or into an ordinary
 * window if it has no long one. The lock of the long window's shard is held, so that other threads
 * that serve this sender make the same decision.
 */
static void enter_several(struct sequence_table *table, const struct sequence_step *step,
                          struct sequence_outcome *outcome)
{
    struct sequence_sets *sets = &table->spread;
    struct shard *shard = shard_of(&sets->frame, step->set);
    mutex_lock(shard->mutex);
    struct place place = place_of(sets, step);
    if (place.found) {
        enter(sets, place, step, outcome);
    } else {
        struct sequence_step ordinary = *step;
        ordinary.set = first_set(&table->ordered.frame, step->fingerprint);
        if (is_available(sets, place.slot) && !knows(&table->ordered, &ordinary))
            enter(sets, place, step, outcome);
        else
            enter_in(&table->ordered, &ordinary, outcome);
    }
    mutex_unlock(shard->mutex);
}

struct sequence_outcome sequence_end(struct sequence_table *table, const struct sequence_step *step)
{
    struct sequence_outcome outcome = {0};
    if (step->several && !step->spread)
        enter_several(table, step, &outcome);
    else
        enter_in(step->spread ? &table->spread : &table->ordered, step, &outcome);
    return outcome;
}

/* --- functions for all senders ---------------------------------------------------------------- */

static void visit_senders(struct sequence_sets *sets,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    for (size_t i = 0; sets->senders != NULL && i < sets->frame.count; i++) {
        struct mutex *mutex = shard_of(&sets->frame, i)->mutex;
        mutex_lock(mutex);
        for (size_t way = 0; way < WAYS; way++) {
            struct sequence_sender *sender = &sets->senders[i * WAYS + way];
            if (sequence_set_at(sets, i)->last_used[way] == 0)
                continue;
            sender->missing =
                sequence_window_unseen(sequence_window_at(sets, (struct slot){i, way}));
            visit(context, sender);
        }
        mutex_unlock(mutex);
    }
}

void sequence_each_sender(struct sequence_table *table,
                          void (*visit)(void *context, const struct sequence_sender *sender),
                          void *context)
{
    visit_senders(&table->ordered, visit, context);
    visit_senders(&table->spread, visit, context);
}

static void close_windows(struct sequence_sets *sets, const struct sequence_closing *closing)
{
    for (size_t i = 0; i < sets->frame.count; i++) {
        struct sequence_set *set = sequence_set_at(sets, i);
        struct shard *shard = shard_of(&sets->frame, i);
        mutex_lock(shard->mutex);
        /*
         * A shard without ticks never had a sender. It is skipped, because reading its untouched
         * pages would take memory.
         */
        for (size_t way = 0; shard->tick != 0 && way < WAYS; way++) {
            uint32_t listener = (uint32_t)set->sender[way].listener;
            uint32_t numbering = (uint32_t)set->sender[way].numbering;
            if (set->last_used[way] == 0 || !closing->ends(closing->context, listener, numbering))
                continue;
            closing->closed(
                closing->context, listener,
                sequence_window_unseen(sequence_window_at(sets, (struct slot){i, way})));
            set->last_used[way] = 0;
        }
        mutex_unlock(shard->mutex);
    }
}

void sequence_close(struct sequence_table *table, const struct sequence_closing *closing)
{
    close_windows(&table->ordered, closing);
    close_windows(&table->spread, closing);
}

static bool ends_with_all(void *context, uint32_t listener, uint32_t numbering)
{
    (void)context;
    (void)listener;
    (void)numbering;
    return true;
}

void sequence_finish(struct sequence_table *table,
                     void (*closed)(void *context, uint32_t listener, uint64_t lost), void *context)
{
    const struct sequence_closing closing = {ends_with_all, closed, context};
    sequence_close(table, &closing);
}
