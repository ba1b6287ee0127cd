#include "collector/ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/ledger/ledger_snapshot.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/platform/udp.h"
#include "collector/text/copy.h"

#define CACHE_LINE 64

/* The header of a block. The counters follow on separate cache lines. */
struct block {
    struct block *next;
    bool spare; /* was returned; the next request for a block of this list gets it */
    char padding[CACHE_LINE - sizeof(struct block *) - sizeof(bool)];
};

/*
 * The next listener or sink with the same name reuses an entry that is not live and not reserved.
 */
enum entry_state {
    ENTRY_HIDDEN, /* cancelled, and never used before */
    ENTRY_LIVE,
    ENTRY_RETIRED, /* its counts stay */
};

struct listener_entry {
    enum entry_state state;
    bool known; /* was retired before, so it stays in reports even if its next use is cancelled */
    char *name;
    char *schema;
    const struct listener_kind *kind;
    struct drops_kind drops;
    bool spread;
    struct block *ingests;
};

struct sink_entry {
    enum entry_state state;
    bool known;    /* as in struct listener_entry */
    bool reserved; /* for the sink that will take over the records in the spill */
    char *name;
    uint64_t messages_before; /* messages of all listeners, when the sink last became live */
    uint64_t messages;        /* messages decoded during its earlier live periods */
    struct block *offers;
    struct block *own;
};

struct ledger {
    int64_t started_ns;
    struct listener_entry *listeners;
    size_t listener_count;
    struct sink_entry *sinks;
    size_t sink_count;
    struct block *threads; /* newest block first */
    size_t thread_count;
    char *dead_letters_name; /* NULL if there are no dead letters */
    struct block *dead_letters;
};

struct ledger *ledger_create(void)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);
    if (ledger != NULL)
        ledger->started_ns = clock_monotonic_ns();
    return ledger;
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;
        aligned_memory_destroy(block);
        block = next;
    }
}

void ledger_destroy(struct ledger *ledger)
{
    if (ledger == NULL)
        return;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        free(ledger->listeners[i].name);
        free(ledger->listeners[i].schema);
        free_blocks(ledger->listeners[i].ingests);
    }
    for (size_t i = 0; i < ledger->sink_count; i++) {
        free(ledger->sinks[i].name);
        free_blocks(ledger->sinks[i].offers);
        free_blocks(ledger->sinks[i].own);
    }
    free_blocks(ledger->threads);
    free_blocks(ledger->dead_letters);
    free(ledger->dead_letters_name);
    free(ledger->listeners);
    free(ledger->sinks);
    free(ledger);
}

/* --- entries ---------------------------------------------------------------------------------- */

static struct listener_entry *listener_at(const struct ledger *ledger, int listener)
{
    RULE(listener >= 0 && (size_t)listener < ledger->listener_count,
         "a listener's index is one of the ledger");
    return &ledger->listeners[listener];
}

static struct sink_entry *sink_at(const struct ledger *ledger, int sink)
{
    RULE(sink >= 0 && (size_t)sink < ledger->sink_count, "a sink's index is one of the ledger");
    return &ledger->sinks[sink];
}

static const struct listener_kind *find_kind(const char *name)
{
    size_t at = 0;
    while (at < LISTENER_KIND_COUNT && strcmp(listener_kinds[at].name, name) != 0)
        at++;
    RULE(at < LISTENER_KIND_COUNT, "a listener's kind is one of LISTENER_KINDS");
    return &listener_kinds[at];
}

static int find_listener(const struct ledger *ledger, const char *name,
                         const struct listener_kind *kind)
{
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_entry *entry = &ledger->listeners[i];
        if (entry->state != ENTRY_LIVE && strcmp(entry->name, name) == 0 && entry->kind == kind)
            return (int)i;
    }
    return -1;
}

static int find_sink(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->sink_count; i++) {
        const struct sink_entry *entry = &ledger->sinks[i];
        if (entry->state != ENTRY_LIVE && !entry->reserved && strcmp(entry->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static bool append_listener(struct ledger *ledger, const struct listener_entry *entry)
{
    size_t count = ledger->listener_count;
    struct listener_entry *grown = realloc(ledger->listeners, (count + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    ledger->listeners = grown;
    grown[count] = *entry;
    ledger->listener_count = count + 1;
    return true;
}

int ledger_add_listener(struct ledger *ledger, const char *name, const char *kind,
                        const char *schema)
{
    const struct listener_kind *found_kind = find_kind(kind);
    int found = find_listener(ledger, name, found_kind);
    if (found >= 0 && !ledger_set_schema(ledger, found, schema))
        return -1;
    if (found >= 0) {
        ledger->listeners[found].state = ENTRY_LIVE;
        return found;
    }
    struct listener_entry entry = {.state = ENTRY_LIVE,
                                   .name = text_copy_all(name),
                                   .schema = text_copy_all(schema),
                                   .kind = found_kind};
    if (entry.name != NULL && entry.schema != NULL && append_listener(ledger, &entry))
        return (int)ledger->listener_count - 1;
    free(entry.name);
    free(entry.schema);
    return -1;
}

static uint64_t count_messages(const struct ledger *ledger)
{
    uint64_t messages = 0;
    for (size_t i = 0; i < ledger->listener_count; i++)
        for (struct block *block = ledger->listeners[i].ingests; block != NULL; block = block->next)
            messages += counter_read(&((const struct ingest_counters *)(block + 1))->messages);
    return messages;
}

int ledger_add_sink(struct ledger *ledger, const char *name)
{
    int index = find_sink(ledger, name);
    if (index < 0) {
        size_t count = ledger->sink_count;
        struct sink_entry *grown = realloc(ledger->sinks, (count + 1) * sizeof *grown);
        if (grown == NULL)
            return -1;
        ledger->sinks = grown;
        grown[count] = (struct sink_entry){.name = text_copy_all(name)};
        if (grown[count].name == NULL)
            return -1;
        ledger->sink_count = count + 1;
        index = (int)count;
    }
    ledger->sinks[index].state = ENTRY_LIVE;
    ledger->sinks[index].messages_before = count_messages(ledger);
    return index;
}

bool ledger_sink_is_live(const struct ledger *ledger, int sink)
{
    return sink_at(ledger, sink)->state == ENTRY_LIVE;
}

void ledger_begin_sink(struct ledger *ledger, int sink)
{
    struct sink_entry *entry = sink_at(ledger, sink);
    RULE(entry->state != ENTRY_HIDDEN, "a cancelled entry comes back only by its name");
    entry->state = ENTRY_LIVE;
    entry->messages_before = count_messages(ledger);
}

void ledger_reserve_sink(struct ledger *ledger, int sink, bool reserved)
{
    sink_at(ledger, sink)->reserved = reserved;
}

void ledger_retire_listener(struct ledger *ledger, int listener)
{
    struct listener_entry *entry = listener_at(ledger, listener);
    RULE(entry->state == ENTRY_LIVE, "a live listener is retired");
    entry->state = ENTRY_RETIRED;
    entry->known = true;
}

void ledger_retire_sink(struct ledger *ledger, int sink)
{
    struct sink_entry *entry = sink_at(ledger, sink);
    uint64_t messages = count_messages(ledger);
    RULE(entry->state == ENTRY_LIVE, "a live sink is retired");
    RULE(messages >= entry->messages_before, "decoded messages never decrease");
    entry->messages += messages - entry->messages_before;
    entry->state = ENTRY_RETIRED;
    entry->known = true;
}

void ledger_cancel_listener(struct ledger *ledger, int listener)
{
    struct listener_entry *entry = listener_at(ledger, listener);
    RULE(entry->state == ENTRY_LIVE, "a live listener is cancelled");
    entry->state = entry->known ? ENTRY_RETIRED : ENTRY_HIDDEN;
}

void ledger_cancel_sink(struct ledger *ledger, int sink)
{
    struct sink_entry *entry = sink_at(ledger, sink);
    RULE(entry->state == ENTRY_LIVE, "a live sink is cancelled");
    entry->state = entry->known ? ENTRY_RETIRED : ENTRY_HIDDEN;
}

static bool replace_text(char **text, const char *with)
{
    char *copy = text_copy_all(with);
    if (copy == NULL)
        return false;
    free(*text);
    *text = copy;
    return true;
}

bool ledger_rename_listener(struct ledger *ledger, int listener, const char *name)
{
    return replace_text(&listener_at(ledger, listener)->name, name);
}

bool ledger_set_schema(struct ledger *ledger, int listener, const char *schema)
{
    return replace_text(&listener_at(ledger, listener)->schema, schema);
}

void ledger_set_drops_kind(struct ledger *ledger, int listener, struct drops_kind kind)
{
    struct drops_kind *drops = &listener_at(ledger, listener)->drops;
    drops->buffers = kind.buffers;
    drops->filtered = drops->filtered || kind.filtered;
}

void ledger_set_spread(struct ledger *ledger, int listener, bool spread)
{
    listener_at(ledger, listener)->spread = spread;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void *add_block(struct block **list, size_t size)
{
    for (struct block *block = *list; block != NULL; block = block->next) {
        if (block->spare) {
            block->spare = false;
            return block + 1;
        }
    }
    size_t whole = (sizeof(struct block) + size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    struct block *block = aligned_memory_create(CACHE_LINE, whole);
    if (block == NULL)
        return NULL;
    memset(block, 0, whole);
    block->next = *list;
    *list = block;
    return block + 1;
}

struct ingest_counters *ledger_ingest_block(struct ledger *ledger, int listener)
{
    return add_block(&listener_at(ledger, listener)->ingests, sizeof(struct ingest_counters));
}

struct offer_counters *ledger_offer_block(struct ledger *ledger, int sink)
{
    return add_block(&sink_at(ledger, sink)->offers, sizeof(struct offer_counters));
}

struct sink_counters *ledger_sink_block(struct ledger *ledger, int sink)
{
    return add_block(&sink_at(ledger, sink)->own, sizeof(struct sink_counters));
}

void ledger_return_block(void *counters)
{
    if (counters == NULL)
        return;
    struct block *block = (struct block *)counters - 1;
    RULE(!block->spare, "a block is returned once");
    block->spare = true;
}

struct thread_measures *ledger_thread_block(struct ledger *ledger)
{
    struct thread_measures *made = NULL;
    if (ledger->thread_count < LEDGER_THREADS)
        made = add_block(&ledger->threads, sizeof *made);
    ledger->thread_count += made != NULL;
    return made;
}

bool ledger_add_dead_letters(struct ledger *ledger, const char *name)
{
    RULE(ledger->dead_letters_name == NULL, "there is one file of dead letters");
    ledger->dead_letters_name = text_copy_all(name);
    return ledger->dead_letters_name != NULL;
}

struct dead_letter_counters *ledger_dead_letter_block(struct ledger *ledger)
{
    return add_block(&ledger->dead_letters, sizeof(struct dead_letter_counters));
}

static void add_counters(uint64_t *sums, const struct counter *counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += counter_read(&counters[i]);
}

/* Adds the block's terms to the totals, in backward order (see add_ingest). */
static void ledger_add_terms(const struct ledger_term *terms, const void *block, void *totals)
{
    const struct ledger_term *end = terms;
    while (end->name != NULL)
        end++;
    while (end != terms) {
        end--;
        const struct counter *counter = (const void *)((const char *)block + end->counter);
        *(uint64_t *)(void *)((char *)totals + end->total) += counter_read(counter);
    }
}

static void ledger_add_measures(const struct ledger_measure *measures, const void *block,
                                void *totals)
{
    for (; measures->name != NULL; measures++)
        histogram_add_to((const void *)((const char *)block + measures->histogram),
                         (void *)((char *)totals + measures->total));
}

/*
 * Reads the counters of effects before those of their causes (counter.h), so that the parts of a
 * sum never exceed the whole. That means first the reasons, and then the terms from the end of the
 * list, where each whole precedes its parts.
 */
static void add_ingest(struct listener_totals *sum, const struct ingest_counters *from)
{
    add_counters(sum->reasons, from->reasons, REASON_COUNT);
    ledger_add_terms(listener_terms, from, sum);
}

static void read_sink(struct sink_totals *sum, const struct sink_entry *entry)
{
    for (const struct block *block = entry->own; block != NULL; block = block->next) {
        const struct sink_counters *own = (const void *)(block + 1);
        add_counters(sum->failed, own->failed, FAILURE_COUNT);
        ledger_add_terms(sink_terms, own, sum);
        ledger_add_measures(sink_measures, own, sum);
        sum->in_flight += atomic_load_explicit(&own->in_flight, memory_order_relaxed);
    }
    for (const struct block *block = entry->offers; block != NULL; block = block->next) {
        const struct offer_counters *offer = (const void *)(block + 1);
        add_counters(sum->refused, offer->refused, REFUSAL_COUNT);
        ledger_add_terms(offer_terms, offer, sum);
        sum->raw_refused += counter_read(&offer->raw_refused);
        sum->raw_offered += counter_read(&offer->raw_offered);
    }
    sum->name = entry->name;
    sum->retired = entry->state == ENTRY_RETIRED;
}

static void read_listener(struct listener_totals *sum, const struct listener_entry *entry)
{
    sum->name = entry->name;
    sum->kind = entry->kind;
    sum->schema = entry->schema;
    sum->drops = entry->drops;
    sum->spread = entry->spread;
    sum->retired = entry->state != ENTRY_LIVE;
    sum->drops_counted = udp_socket_counts_drops() || !sum->kind->is_socket;
    for (struct block *block = entry->ingests; block != NULL; block = block->next)
        add_ingest(sum, (const void *)(block + 1));
}

/*
 * Receiving threads count `offered` before the writing thread counts `kept`. Effects must be read
 * first, so `offered` of all blocks is read last.
 */
static void read_dead_letters(struct dead_letter_totals *sum, const struct ledger *ledger)
{
    struct dead_letter_totals offered = {0};
    sum->name = ledger->dead_letters_name;
    for (const struct block *block = ledger->dead_letters; block != NULL; block = block->next) {
        const struct dead_letter_counters *from = (const void *)(block + 1);
        add_counters(sum->dropped, from->dropped, DROP_COUNT);
        ledger_add_terms(dead_letter_terms, from, sum);
    }
    for (const struct block *block = ledger->dead_letters; block != NULL; block = block->next)
        ledger_add_terms(dead_letter_terms, block + 1, &offered);
    sum->offered = offered.offered;
}

static const char *number_name(size_t number)
{
    static char names[LEDGER_THREADS][5];
    RULE(number < LEDGER_THREADS, "a thread's number has a name");
    snprintf(names[number], sizeof names[number], "%u", (unsigned)number % LEDGER_THREADS);
    return names[number];
}

static void read_threads(struct ledger_snapshot *snapshot, const struct ledger *ledger)
{
    size_t number = snapshot->thread_count = ledger->thread_count;
    for (const struct block *block = ledger->threads; block != NULL; block = block->next) {
        struct thread_totals *sum = &snapshot->threads[--number];
        sum->name = number_name(number);
        ledger_add_measures(thread_measures, block + 1, sum);
    }
}

/*
 * Returns true if snapshots include the listener. They include a cancelled one only if it was used
 * before, or if its sockets have received or refused datagrams while they were open for a moment.
 */
static bool is_reported(const struct listener_entry *entry)
{
    uint64_t counted = 0;
    for (const struct block *block = entry->ingests; block != NULL; block = block->next) {
        const struct ingest_counters *counters = (const void *)(block + 1);
        counted += counter_read(&counters->received) + counter_read(&counters->kernel_drops) +
                   counter_read(&counters->refused_while_stopping);
    }
    return entry->state != ENTRY_HIDDEN || counted != 0;
}

struct ledger_snapshot *ledger_take_snapshot(const struct ledger *ledger, bool final)
{
    struct ledger_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (snapshot == NULL)
        return NULL;
    snapshot->final = final;
    snapshot->uptime_ns = clock_monotonic_ns() - ledger->started_ns;
    snapshot->listeners = calloc(ledger->listener_count + 1, sizeof *snapshot->listeners);
    snapshot->sinks = calloc(ledger->sink_count + 1, sizeof *snapshot->sinks);
    snapshot->threads = calloc(ledger->thread_count + 1, sizeof *snapshot->threads);
    if (snapshot->listeners == NULL || snapshot->sinks == NULL || snapshot->threads == NULL) {
        ledger_snapshot_free(snapshot);
        return NULL;
    }
    for (size_t i = 0; i < ledger->sink_count; i++) {
        if (ledger->sinks[i].state == ENTRY_HIDDEN)
            continue;
        snapshot->sinks[snapshot->sink_count].index = i;
        read_sink(&snapshot->sinks[snapshot->sink_count++], &ledger->sinks[i]);
    }
    read_dead_letters(&snapshot->dead_letters, ledger);
    read_threads(snapshot, ledger);
    for (size_t i = 0; i < ledger->listener_count; i++) {
        if (!is_reported(&ledger->listeners[i]))
            continue;
        snapshot->listeners[snapshot->listener_count].index = i;
        read_listener(&snapshot->listeners[snapshot->listener_count++], &ledger->listeners[i]);
    }
    uint64_t messages = count_messages(ledger);
    size_t at = 0;
    for (size_t i = 0; i < ledger->sink_count; i++) {
        const struct sink_entry *entry = &ledger->sinks[i];
        if (entry->state == ENTRY_HIDDEN)
            continue;
        snapshot->sinks[at++].messages =
            entry->messages + (entry->state == ENTRY_LIVE ? messages - entry->messages_before : 0);
    }
    RULE(at == snapshot->sink_count, "a snapshot has one row for each visible sink");
    if (ledger_snapshot_keep_texts(snapshot))
        return snapshot;
    ledger_snapshot_free(snapshot);
    return NULL;
}
