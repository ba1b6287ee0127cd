#include "collector/output/delivery_store.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/output/delivery_label.h"
#include "collector/output/delivery_time.h"
#include "collector/platform/clock.h"

/* Nanoseconds until storing a block is tried again. */
#define STORE_PAUSE_NS INT64_C(100000000)

void delivery_note_spill(struct delivery_writer *delivery)
{
    struct sink_counters *counters = delivery->base.options.counters;
    if (delivery->spill == NULL)
        return;
    struct delivery_spill_counts now = delivery_spill_counts(delivery->spill);
    counter_add(&counters->evicted, now.evicted - delivery->seen.evicted);
    counter_add(&counters->unknown, now.unknown - delivery->seen.unknown);
    counter_add(&counters->failed[FAILED_DAMAGED], now.lost - delivery->seen.lost);
    counter_set(&counters->spilled, delivery->spilled_before + now.spilled);
    atomic_store_explicit(&delivery->base.spill_bytes, now.bytes, memory_order_relaxed);
    atomic_store_explicit(&delivery->base.spill_kept, now.kept, memory_order_relaxed);
    delivery->seen = now;
}

/* --- storing blocks that are being sent ------------------------------------------------------- */

static void log_spill(struct delivery_writer *delivery, const struct error *error)
{
    uint64_t left_out;
    if (log_allowed(&delivery->spill_log, &left_out))
        log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name, "%s; trying again",
                  error->text);
}

/* Notes that blocks can be stored (`error` is NULL), or why they cannot be stored. */
static void note_stored(struct delivery_writer *delivery, const struct error *error)
{
    struct log_trouble *trouble = &delivery->spill_trouble;
    const char *name = delivery->base.options.name;
    const int64_t since_ns = trouble->since_ns;
    if (error == NULL && since_ns == 0)
        return;
    const int64_t now_ns = clock_monotonic_ns();
    const double seconds = since_ns == 0 ? 0 : (double)(now_ns - since_ns) / 1e9;
    if (error == NULL) {
        if (log_trouble_end(trouble, &delivery->base.outage.budget, now_ns))
            log_about(LOG_INFO, LOG_OF_SINK, name, "the spill stores records again after %.1f s",
                      seconds);
    } else if (log_trouble_note(trouble, &delivery->base.outage.budget, now_ns)) {
        char lasting[32] = "";
        if (seconds >= 1)
            snprintf(lasting, sizeof lasting, " for %.0f s", seconds);
        log_about(LOG_ERROR, LOG_OF_SINK, name, "%s; trying again%s", error->text, lasting);
    }
    atomic_store_explicit(&delivery->base.spill_full_ns, trouble->since_ns, memory_order_relaxed);
}

typedef enum spill_stored store_function(struct delivery_spill *spill,
                                         struct buffered_block *buffered, struct error *error);

static size_t maybe_sent_records(const struct buffered_block *buffered)
{
    size_t count = 0;
    for (size_t i = 0; i < buffered->block.count; i++)
        count += !buffered->block.records[i].done && buffered->block.records[i].maybe_sent;
    return count;
}

/*
 * Finds the blocks that this stop left on disk and whose segment was evicted since then. Counts
 * their records as evicted, or as unknown if they may have been sent.
 */
static void count_left(struct delivery_writer *delivery)
{
    for (size_t i = 0; i < delivery->count; i++) {
        struct buffered_block *buffered = &delivery->blocks[i];
        if (buffered->state != BLOCK_LEFT || delivery_spill_has(delivery->spill, buffered))
            continue;
        delivery_spill_lose_left(delivery->spill, buffered_block_open_records(buffered),
                                 maybe_sent_records(buffered));
        buffered->state = BLOCK_EMPTY;
    }
}

/*
 * Stores a block. With drop_oldest, evicts older blocks until there is room. Returns false if the
 * block cannot be stored now.
 */
static bool store_by(struct delivery_writer *delivery, struct buffered_block *buffered,
                     store_function *store)
{
    struct error error;
    enum spill_stored stored = store(delivery->spill, buffered, &error);
    while (stored == SPILL_FULL && delivery->base.options.drops_oldest &&
           delivery_spill_evict(delivery->spill, &error)) {
        count_left(delivery);
        stored = store(delivery->spill, buffered, &error);
    }
    delivery->base.cannot_write = stored == SPILL_FAILED;
    note_stored(delivery, stored == SPILL_STORED ? NULL : &error);
    delivery_note_spill(delivery);
    return stored == SPILL_STORED;
}

static struct buffered_block *oldest_in_memory(struct delivery_writer *delivery)
{
    struct buffered_block *oldest = NULL;
    for (size_t i = 0; i < delivery->count; i++) {
        struct buffered_block *buffered = &delivery->blocks[i];
        if (delivery_is_only_in_memory(delivery, buffered) &&
            (oldest == NULL || buffered->order < oldest->order))
            oldest = buffered;
    }
    return oldest;
}

bool delivery_keep_older(struct delivery_writer *delivery)
{
    struct buffered_block *buffered;
    if (delivery_spill_waits(delivery->spill))
        return true;
    while ((buffered = oldest_in_memory(delivery)) != NULL)
        if (delivery_spill_room(delivery->spill) == 0 ||
            !store_by(delivery, buffered, delivery_spill_keep))
            return false;
    return true;
}

/* If another program removed the block's file, notes that the block is only in memory now. */
static void note_absence(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    if (!buffered_block_is_open(buffered) || !buffered->on_disk ||
        !delivery_spill_lacks(delivery->spill, buffered))
        return;
    delivery_spill_acknowledge(delivery->spill, buffered);
    buffered->on_disk = false;
}

void delivery_keep_late(struct delivery_writer *delivery, int64_t now)
{
    for (size_t i = 0; delivery->spill != NULL && i < delivery->count; i++)
        note_absence(delivery, &delivery->blocks[i]);
    if (now >= delivery_keep_due(delivery) && !delivery_keep_older(delivery))
        delivery->keeps_ns = now + STORE_PAUSE_NS;
}

/*
 * Returns true if the spill has room for all blocks that are only in memory, and one more.
 * Acknowledged blocks still take room in the spill's window until all older blocks are
 * acknowledged.
 */
static bool can_keep_one_more(const struct delivery_writer *delivery)
{
    size_t count = 1;
    for (size_t i = 0; i < delivery->count; i++)
        count += delivery_is_only_in_memory(delivery, &delivery->blocks[i]);
    return count <= delivery_spill_room(delivery->spill);
}

/* --- moving blocks to and from the disk ------------------------------------------------------- */

static bool store_block(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    RULE(buffered->state == BLOCK_FILLED || buffered->state == BLOCK_WAITS,
         "a block that the destination has is not stored instead");
    if (!store_by(delivery, buffered, delivery_spill_store))
        return false;
    sink_writer_note_spilled(&delivery->base, buffered_block_open_records(buffered));
    buffered->state = BLOCK_EMPTY;
    delivery->drained = false;
    delivery_note_spill(delivery);
    sink_writer_publish(&delivery->base);
    return true;
}

void delivery_queue_or_store(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    RULE(buffered->state == BLOCK_FILLED && !buffered->on_disk, "a new block is queued or stored");
    RULE(delivery->unstored == NULL, "one block at most could not be stored");
    bool waits = delivery->spill != NULL &&
                 (delivery->storing || delivery->waiting != NULL ||
                  delivery_spill_waits(delivery->spill) || !can_keep_one_more(delivery));
    if (waits && (!delivery_keep_older(delivery) || !store_block(delivery, buffered))) {
        delivery->unstored = buffered;
        buffered->state = BLOCK_WAITS;
        delivery->stores_ns = clock_monotonic_ns() + STORE_PAUSE_NS;
    } else if (!waits) {
        note_stored(delivery, NULL);
        buffered->order = delivery->next_order++;
        buffered_block_queue(&delivery->waiting, buffered);
    }
}

void delivery_retry_unstored(struct delivery_writer *delivery, int64_t now)
{
    struct buffered_block *buffered = delivery->unstored;
    if (buffered == NULL || now < delivery->stores_ns)
        return;
    delivery->unstored = NULL;
    buffered->state = BLOCK_FILLED;
    delivery_queue_or_store(delivery, buffered);
}

struct buffered_block *delivery_empty_block(struct delivery_writer *delivery,
                                            const struct buffered_block *except)
{
    for (size_t i = 0; i < delivery->count; i++) {
        struct buffered_block *buffered = &delivery->blocks[i];
        if (buffered->state == BLOCK_EMPTY && !buffered->block.lent && buffered != except)
            return buffered;
    }
    return NULL;
}

bool delivery_take_from_disk(struct delivery_writer *delivery, int64_t now)
{
    struct error error;
    /*
     * Does not use the block `moved`: it still has the bytes of a record that belongs to another
     * block, and reading from disk would overwrite them.
     */
    struct buffered_block *buffered = delivery_empty_block(delivery, delivery->moved);
    if (delivery->spill == NULL || delivery->stopping || delivery->waiting != NULL ||
        now < delivery->sends_ns ||
        delivery->out >= delivery->base.options.settings->delivery.in_flight || buffered == NULL ||
        !delivery_spill_waits(delivery->spill))
        return false;
    bool taken = delivery_spill_take(delivery->spill, buffered, &error);
    if (!taken && error.code != EXIT_CODE_OK) {
        log_spill(delivery, &error);
        delivery_pause(delivery, 0, now);
    }
    delivery->drained = !taken && error.code == EXIT_CODE_OK;
    if (taken) {
        sink_writer_note_unspilled(&delivery->base, buffered->open);
        buffered->begun_ns = now;
        buffered->order = delivery->next_order++;
        buffered_block_queue(&delivery->waiting, buffered);
    }
    delivery_note_spill(delivery);
    return taken;
}

static void evict_block(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    RULE(buffered->state == BLOCK_WAITS, "a block that the destination has is not evicted");
    size_t unknown = maybe_sent_records(buffered);
    size_t open = buffered_block_open_records(buffered);
    sink_writer_count_unknown(&delivery->base, unknown);
    sink_writer_count_evicted(&delivery->base, open - unknown);
    delivery_spill_acknowledge(delivery->spill, buffered);
    buffered->state = BLOCK_EMPTY;
}

static void leave_block(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    RULE(buffered->state == BLOCK_WAITS, "only a waiting block is left on disk");
    size_t open = buffered_block_open_records(buffered);
    delivery_spill_leave(delivery->spill, buffered, open);
    sink_writer_note_spilled(&delivery->base, open);
    buffered->state = BLOCK_LEFT;
}

void delivery_store_waiting(struct delivery_writer *delivery)
{
    struct buffered_block **link = &delivery->waiting;
    delivery_spill_check_files(delivery->spill);
    while (*link != NULL) {
        struct buffered_block *buffered = *link;
        note_absence(delivery, buffered);
        if (buffered->on_disk && delivery_spill_has(delivery->spill, buffered)) {
            leave_block(delivery, buffered);
        } else if (buffered->on_disk) {
            evict_block(delivery, buffered);
        } else if (!store_block(delivery, buffered)) {
            link = &buffered->next;
            continue;
        }
        *link = buffered->next;
    }
    for (struct buffered_block *buffered = delivery->waiting; buffered != NULL;
         buffered = buffered->next)
        delivery_spill_give_up(delivery->spill, buffered);
    delivery_note_spill(delivery);
    sink_writer_publish(&delivery->base);
}

/* --- opening and closing the spill ------------------------------------------------------------ */

static void log_kept(const struct delivery_writer *delivery, const char *label)
{
    char found[DELIVERY_LABEL_SIZE];
    char theirs[DELIVERY_LABEL_WORDS_SIZE], ours[DELIVERY_LABEL_WORDS_SIZE];
    uint64_t kept = delivery_spill_counts(delivery->spill).kept;
    if (kept == 0)
        return;
    delivery_spill_kept_label(delivery->spill, found);
    delivery_label_describe(found, theirs);
    delivery_label_describe(label, ours);
    log_about(LOG_WARNING, LOG_OF_SINK, delivery->base.options.name,
              "spill %s: %" PRIu64 " record%s %s; this sink sends %s, so they stay there until a "
              "matching sink uses the folder, or \"sluice spill export\" exports them",
              delivery->base.options.settings->delivery.spill, kept, kept == 1 ? " is" : "s are",
              theirs, ours);
}

int delivery_open_spill(struct sink_writer *writer, struct error *error)
{
    struct delivery_writer *delivery = delivery_of(writer);
    const struct sink_thread_options *options = &writer->options;
    if (options->settings->delivery.spill == NULL || delivery->spill != NULL)
        return 0;
    char label[DELIVERY_LABEL_SIZE];
    delivery_label_write(options, label);
    if (delivery_spill_open(&options->settings->delivery, &options->settings->file,
                            &options->reserve, sink_options_record_size(options), label,
                            writer->open_spill, &delivery->spill, error) != 0)
        return -1;
    writer->open_spill = NULL;
    uint64_t recovered = delivery_spill_counts(delivery->spill).recovered;
    uint64_t before = counter_read(&options->counters->spilled);
    uint64_t ours = before < recovered ? before : recovered;
    delivery->seen = (struct delivery_spill_counts){0};
    delivery->spilled_before = before - ours;
    counter_add(&options->counters->recovered, recovered - ours);
    log_kept(delivery, label);
    delivery_note_spill(delivery);
    return 0;
}

void delivery_serve_spill(struct delivery_writer *delivery, int64_t now_ns)
{
    struct error error;
    if (delivery->spill == NULL || now_ns < delivery_spill_due(delivery->spill))
        return;
    if (!delivery_spill_tick(delivery->spill, now_ns, &error))
        log_spill(delivery, &error);
    delivery_note_spill(delivery);
}

void delivery_leave_spill(struct delivery_writer *delivery)
{
    struct sink_writer *writer = &delivery->base;
    if (delivery->spill != NULL)
        delivery_spill_check_files(delivery->spill); /* must come before delivery_note_spill, which
                                                      * adds the final counts to the ledger */
    if (!atomic_load(&writer->leaves_spill_open)) {
        delivery_close_spill(delivery);
        return;
    }
    delivery_note_spill(delivery);
    RULE(writer->open_spill == NULL, "a sink leaves one spill open");
    writer->open_spill = delivery_spill_release(delivery->spill);
    delivery->spill = NULL;
}

void delivery_close_spill(struct delivery_writer *delivery)
{
    struct error error;
    delivery_note_spill(delivery);
    if (!delivery_spill_close(delivery->spill, &error))
        log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name, "%s", error.text);
    delivery->spill = NULL;
}
