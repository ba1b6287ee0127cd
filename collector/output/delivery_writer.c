#include "collector/output/delivery_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/schema.h"
#include "collector/output/delivery_blocks.h"
#include "collector/output/delivery_spill.h"
#include "collector/platform/clock.h"
#include "collector/platform/random.h"

/* How long the far end is left alone after a block was not taken: doubled up to the longest. */
#define FIRST_PAUSE_NS   INT64_C(100000000)
#define LONGEST_PAUSE_NS INT64_C(5000000000)

#define EPOCH_BYTES ((DELIVERY_EPOCH_SIZE - 1) / 2)

/* How long what could not be stored on disk waits for the next try. */
#define STORE_PAUSE_NS INT64_C(100000000)

struct delivery_writer {
    struct sink_writer base;
    bool repeats; /* a block whose fate is unknown is sent again */
    char epoch[2 * EPOCH_BYTES + 1];
    uint64_t next_number;       /* of the next record that is ready to be sent */
    uint64_t next_order;        /* of the next block that is */
    struct held_block *filled;  /* NULL: none is empty, or nothing was taken yet */
    struct held_block *waiting; /* by number */
    size_t out;                 /* blocks that are with the destination */
    bool refused;               /* it had no room for the first that waits */
    int64_t pause_ns;           /* the next one; 0: the first */
    int64_t sends_ns;           /* monotonic: nothing is sent before */
    struct log_limit refusal_log;

    struct delivery_spill *spill;      /* NULL: nothing waits on disk */
    struct held_block *unstored;       /* is to be stored, and could not be yet */
    int64_t stores_ns;                 /* monotonic: the next try */
    bool drained;                      /* what is on disk comes after an answer, or is gone */
    bool stopping;                     /* nothing is taken from disk any more */
    bool storing;                      /* nothing is sent any more, either: all goes to the disk */
    struct delivery_spill_counts seen; /* of the spill, as they are in the ledger */
    uint64_t spilled_before;           /* in the ledger, of a spill that was there before */
    struct log_limit spill_log;
    int64_t oldest_ns; /* wall clock, of what is in memory; INT64_MAX: nothing is */

    /* A put that stopped half-way: the record stands there, and belongs into the next block. */
    struct held_block *moved;
    size_t start, end;
    struct delivery_addition addition;
    char route[DELIVERY_ROUTE_SIZE];
    uint8_t key[DELIVERY_KEY_SIZE];

    size_t count;
    struct held_block blocks[];
};

/*
 * One more than may be in flight, so that records are collected meanwhile; and one that cannot be
 * stored, so that others are sent from disk meanwhile.
 */
static size_t block_count(const struct delivery_options *options)
{
    return (size_t)options->in_flight + (options->spill == NULL ? 1 : 2);
}

size_t delivery_writer_memory(const struct delivery_options *options, size_t record_size)
{
    return sizeof(struct delivery_writer) +
           block_count(options) * (sizeof(struct held_block) + held_block_memory(record_size)) +
           (options->spill == NULL ? 0 : delivery_spill_memory(options, record_size));
}

static struct delivery_writer *of(struct sink_writer *writer)
{
    return (struct delivery_writer *)writer;
}

static const struct delivery_ops *ops_of(const struct delivery_writer *delivery)
{
    return delivery->base.destination->delivery;
}

/* --- what became of records ------------------------------------------------------------------- */

/* Of the records of one block that have their fate now. */
struct fates {
    size_t written, unknown, gave_up, left;
    size_t failed[FAILURE_COUNT];
    size_t duplicates;
    uint64_t bytes;
    struct encoded sum; /* of those written */
};

/* What a refusal is counted as. */
static enum record_failure reason_of(uint8_t reason)
{
    static const enum record_failure reasons[] = {
        [DELIVERY_REJECTED] = FAILED_REJECTED,
        [DELIVERY_TOO_LARGE] = FAILED_TOO_LARGE,
        [DELIVERY_DENIED] = FAILED_DENIED,
    };
    RULE(reason < sizeof reasons / sizeof reasons[0], "a refusal has one of the reasons");
    return reasons[reason];
}

/* It is not sent again. What was once sent without an answer may be there, whatever came later. */
static void give_record_up(const struct delivery_writer *delivery, struct delivery_record *record,
                           struct fates *fates)
{
    record->done = true;
    if (record->doubtful)
        fates->unknown++;
    else if (delivery->base.state == SINK_WRITING)
        fates->failed[FAILED_TIMEOUT_UNSENT]++;
    else
        fates->gave_up++;
}

/* Whether a record of that fate may be sent again. */
static bool is_sent_again(const struct delivery_writer *delivery, uint8_t fate)
{
    bool once = delivery->base.options.delivery.retry == RETRY_AT_MOST_ONCE && !delivery->repeats;
    return fate == DELIVERY_NOT_SENT || (fate == DELIVERY_UNKNOWN && delivery->repeats) ||
           (fate == DELIVERY_DOUBTFUL && !once);
}

static void settle_record(const struct delivery_writer *delivery, const struct held_block *held,
                          size_t index, bool over, struct fates *fates)
{
    const struct delivery_block *block = &held->block;
    struct delivery_record *record = &block->records[index];
    uint8_t fate = block->per_record ? record->fate : block->fate;
    uint8_t reason = block->per_record ? record->reason : block->reason;
    if (record->done)
        return;
    if (fate == DELIVERY_ACKNOWLEDGED) {
        record->done = true;
        fates->written++;
        fates->duplicates += record->doubtful;
        fates->bytes += record->size;
        encoded_counts_add(&fates->sum, &held->counts[index]);
        return;
    }
    record->doubtful = record->doubtful || fate == DELIVERY_UNKNOWN || fate == DELIVERY_DOUBTFUL;
    if (fate == DELIVERY_REFUSED && !record->doubtful) {
        record->done = true;
        fates->failed[reason_of(reason)]++;
        return;
    }
    if (is_sent_again(delivery, fate) && !over)
        fates->left++;
    else
        give_record_up(delivery, record, fates);
}

static void log_refusal(struct delivery_writer *delivery, const struct fates *fates,
                        const struct error *error)
{
    static const enum record_failure reasons[] = {FAILED_REJECTED, FAILED_TOO_LARGE, FAILED_DENIED,
                                                  FAILED_TIMEOUT_UNSENT};
    size_t failed = fates->unknown;
    uint64_t held;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        failed += fates->failed[reasons[i]];
    if (failed == 0 || !log_allowed(&delivery->refusal_log, &held))
        return;
    log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name,
              "%zu records were not delivered, or may not be: %s", failed, error->text);
}

static void count_fates(struct delivery_writer *delivery, const struct fates *fates)
{
    struct sink_writer *writer = &delivery->base;
    struct sink_counters *counters = writer->options.counters;
    counter_add(&counters->bytes, fates->bytes);
    counter_add(&counters->possible_duplicates, fates->duplicates);
    sink_writer_count_written(writer, fates->written, &fates->sum);
    sink_writer_count_unknown(writer, fates->unknown);
    sink_writer_count_failed(writer, fates->gave_up);
    for (int i = 0; i < FAILURE_COUNT; i++)
        sink_writer_count_failed_by(writer, (enum record_failure)i, fates->failed[i]);
    sink_writer_publish(writer);
}

/* What became of records on disk comes into the ledger. */
static void note_spill(struct delivery_writer *delivery)
{
    struct sink_counters *counters = delivery->base.options.counters;
    if (delivery->spill == NULL)
        return;
    struct delivery_spill_counts now = delivery_spill_counts(delivery->spill);
    counter_add(&counters->evicted, now.evicted - delivery->seen.evicted);
    counter_add(&counters->failed[FAILED_DAMAGED], now.lost - delivery->seen.lost);
    counter_set(&counters->spilled, delivery->spilled_before + now.spilled);
    atomic_store_explicit(&delivery->base.spill_bytes, now.bytes, memory_order_relaxed);
    delivery->seen = now;
}

/* --- onto the disk, while they are sent ------------------------------------------------------- */

static void log_spill(struct delivery_writer *delivery, const struct error *error)
{
    uint64_t left_out;
    if (log_allowed(&delivery->spill_log, &left_out))
        log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name, "%s; trying again",
                  error->text);
}

typedef enum spill_stored store_function(struct delivery_spill *spill, struct held_block *held,
                                         struct error *error);

/* Brings a block to the disk, where it makes room if it may. Returns false where it has none now.
 */
static bool store_by(struct delivery_writer *delivery, struct held_block *held,
                     store_function *store)
{
    struct error error;
    enum spill_stored stored = store(delivery->spill, held, &error);
    while (stored == SPILL_FULL && delivery->base.options.drops_oldest &&
           delivery_spill_evict(delivery->spill, &error))
        stored = store(delivery->spill, held, &error);
    if (stored == SPILL_FAILED)
        log_spill(delivery, &error);
    note_spill(delivery);
    return stored == SPILL_STORED;
}

/* The oldest block that is not answered and is not on disk. NULL: there is none. */
static struct held_block *oldest_in_memory(struct delivery_writer *delivery)
{
    struct held_block *oldest = NULL;
    for (size_t i = 0; i < delivery->count; i++) {
        struct held_block *held = &delivery->blocks[i];
        bool open = held->state == BLOCK_OUT || held->state == BLOCK_WAITS;
        if (open && !held->on_disk && (oldest == NULL || held->order < oldest->order))
            oldest = held;
    }
    return oldest;
}

/*
 * Before the first block is stored those before it are stored, too, while they go on to be sent: so
 * all is on disk in its order, and is there after a kill. Returns false where that cannot be done
 * now.
 */
static bool keep_older(struct delivery_writer *delivery)
{
    struct held_block *held;
    if (delivery_spill_waits(delivery->spill))
        return true;
    while ((held = oldest_in_memory(delivery)) != NULL)
        if (!store_by(delivery, held, delivery_spill_keep))
            return false;
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Others see since when the far end has answered nothing of what it has. */
static void note_waits(struct delivery_writer *delivery, int64_t now)
{
    atomic_store_explicit(&delivery->base.waits_since_ns, delivery->out == 0 ? 0 : now,
                          memory_order_relaxed);
}

/* Of several blocks that failed together the first one alone makes the pause longer. */
static void pause(struct delivery_writer *delivery, int64_t retry_after_ns, int64_t now)
{
    if (now >= delivery->sends_ns) {
        int64_t longer = 2 * delivery->pause_ns;
        delivery->pause_ns = longer == 0                 ? FIRST_PAUSE_NS
                             : longer < LONGEST_PAUSE_NS ? longer
                                                         : LONGEST_PAUSE_NS;
        delivery->sends_ns = now + delivery->pause_ns;
    }
    if (retry_after_ns > 0 && retry_after_ns > delivery->sends_ns - now)
        delivery->sends_ns =
            retry_after_ns < INT64_MAX - now ? now + retry_after_ns : INT64_MAX - 1;
}

/* What has a spill is sent until the far end answers: at a stop it stays on disk. */
static bool is_over(const struct delivery_writer *delivery, const struct held_block *held,
                    int64_t now)
{
    if (delivery->spill != NULL)
        return false;
    return delivery->base.state != SINK_WRITING ||
           (uint64_t)(now - held->begun_ns) >= delivery->base.options.delivery.timeout;
}

/* The block has the answer that stands in it; `over`: it is not sent again. */
static void settle(struct delivery_writer *delivery, struct held_block *held, bool over,
                   const struct error *error, int64_t retry_after_ns, int64_t now)
{
    struct sink_writer *writer = &delivery->base;
    struct fates fates = {0};
    for (size_t i = 0; i < held->block.count; i++)
        settle_record(delivery, held, i, over, &fates);
    if (fates.written != 0) {
        sink_writer_note_success(writer);
        delivery->pause_ns = 0;
        histogram_note(&writer->options.counters->write_time, histogram_times,
                       (uint64_t)(now - held->begun_ns));
    } else if (fates.left == 0 && writer->state == SINK_WRITING) {
        sink_writer_note_failure(writer);
    }
    log_refusal(delivery, &fates, error);
    if (fates.left != 0) {
        sink_writer_note_retry(writer, error);
        pause(delivery, retry_after_ns, now);
        held_block_queue(&delivery->waiting, held);
        if (delivery->spill != NULL)
            keep_older(delivery);
    } else {
        if (held->on_disk)
            delivery_spill_settle(delivery->spill, held);
        held->state = BLOCK_EMPTY;
    }
    count_fates(delivery, &fates);
    note_spill(delivery);
}

/* --- to and from the destination -------------------------------------------------------------- */

static void take_answers(struct delivery_writer *delivery)
{
    struct destination *destination = delivery->base.destination;
    struct error error = {0};
    int64_t retry_after_ns = 0;
    struct delivery_block *block;
    while (delivery->out != 0 &&
           (block = ops_of(delivery)->answer(destination, &error, &retry_after_ns)) != NULL) {
        int64_t now = clock_monotonic_ns();
        delivery->out--;
        delivery->refused = delivery->drained = false;
        note_waits(delivery, now);
        struct held_block *held = (struct held_block *)block;
        settle(delivery, held, is_over(delivery, held, now), &error, retry_after_ns, now);
        error.text[0] = '\0';
        retry_after_ns = 0;
    }
}

/* Takes out those that wait and whose time is over, or all of them. */
static void take_out(struct delivery_writer *delivery, bool all, int64_t now)
{
    static const struct error error = {.text = "it could not be sent in timeout="};
    struct held_block **link = &delivery->waiting;
    while (*link != NULL) {
        struct held_block *held = *link;
        if (!all && !is_over(delivery, held, now)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        held->block.per_record = false;
        held->block.fate = DELIVERY_NOT_SENT;
        settle(delivery, held, true, &error, 0, now);
    }
}

static void expire(struct delivery_writer *delivery, int64_t now)
{
    take_out(delivery, false, now);
}

static void give_waiting_up(struct delivery_writer *delivery, int64_t now)
{
    take_out(delivery, true, now);
}

static bool hand_over(struct delivery_writer *delivery, struct held_block *held)
{
    struct sink_writer *writer = &delivery->base;
    struct error error;
    sink_writer_begin_io(writer);
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    held->block.per_record = false;
    bool taken = ops_of(delivery)->send(writer->destination, &held->block, &error);
    sink_writer_end_io(writer);
    return taken;
}

static void send_waiting(struct delivery_writer *delivery, int64_t now)
{
    delivery->refused = false;
    while (delivery->waiting != NULL && now >= delivery->sends_ns &&
           delivery->out < delivery->base.options.delivery.in_flight) {
        struct held_block *held = delivery->waiting;
        delivery->refused = !hand_over(delivery, held);
        if (delivery->refused)
            return;
        delivery->waiting = held->next;
        held->state = BLOCK_OUT;
        if (delivery->out++ == 0)
            note_waits(delivery, now);
    }
}

/* --- to and from the disk --------------------------------------------------------------------- */

/* Stores a block, which is empty then. Returns false where it cannot be stored now. */
static bool store(struct delivery_writer *delivery, struct held_block *held)
{
    if (!store_by(delivery, held, delivery_spill_store))
        return false;
    sink_writer_note_spilled(&delivery->base, held_block_open_records(held));
    held->state = BLOCK_EMPTY;
    delivery->drained = false;
    note_spill(delivery);
    sink_writer_publish(&delivery->base);
    return true;
}

/* A sealed block is to be sent, or is stored where it would have to wait. */
static void place(struct delivery_writer *delivery, struct held_block *held)
{
    bool waits = delivery->spill != NULL && (delivery->storing || delivery->waiting != NULL ||
                                             delivery_spill_waits(delivery->spill));
    if (waits && (!keep_older(delivery) || !store(delivery, held))) {
        delivery->unstored = held;
        held->state = BLOCK_WAITS;
        delivery->stores_ns = clock_monotonic_ns() + STORE_PAUSE_NS;
    } else if (!waits) {
        held->order = delivery->next_order++;
        held_block_queue(&delivery->waiting, held);
    }
}

/* What could not be stored is tried again; it may be sent by now. */
static void place_unstored(struct delivery_writer *delivery, int64_t now)
{
    struct held_block *held = delivery->unstored;
    if (held == NULL || now < delivery->stores_ns)
        return;
    delivery->unstored = NULL;
    held->state = BLOCK_FILLED;
    place(delivery, held);
}

static struct held_block *empty_block(struct delivery_writer *delivery)
{
    for (size_t i = 0; i < delivery->count; i++)
        if (delivery->blocks[i].state == BLOCK_EMPTY)
            return &delivery->blocks[i];
    return NULL;
}

/* Takes a block from disk to those that wait, where the far end could have it now. */
static bool take_from_disk(struct delivery_writer *delivery, int64_t now)
{
    struct error error;
    struct held_block *held = empty_block(delivery);
    if (delivery->spill == NULL || delivery->stopping || delivery->waiting != NULL ||
        now < delivery->sends_ns || delivery->out >= delivery->base.options.delivery.in_flight ||
        held == NULL || !delivery_spill_waits(delivery->spill))
        return false;
    bool taken = delivery_spill_take(delivery->spill, held, &error);
    if (!taken && error.code != EXIT_CODE_OK) {
        log_spill(delivery, &error);
        pause(delivery, 0, now);
    }
    delivery->drained = !taken && error.code == EXIT_CODE_OK;
    if (taken) {
        sink_writer_note_unspilled(&delivery->base, held->open);
        held->begun_ns = now;
        held->order = delivery->next_order++;
        held_block_queue(&delivery->waiting, held);
    }
    note_spill(delivery);
    return taken;
}

/* Its segment had to make room while it was in memory: it is not sent any more. */
static void evict(struct delivery_writer *delivery, struct held_block *held)
{
    size_t unknown = 0;
    size_t open = held_block_open_records(held);
    for (size_t i = 0; i < held->block.count; i++)
        unknown += !held->block.records[i].done && held->block.records[i].doubtful;
    sink_writer_count_unknown(&delivery->base, unknown);
    sink_writer_count_evicted(&delivery->base, open - unknown);
    delivery_spill_settle(delivery->spill, held);
    held->state = BLOCK_EMPTY;
}

static void leave(struct delivery_writer *delivery, struct held_block *held)
{
    size_t open = held_block_open_records(held);
    delivery_spill_leave(delivery->spill, held, open);
    sink_writer_note_spilled(&delivery->base, open);
    held->state = BLOCK_EMPTY;
}

/*
 * At a stop: those that wait are left on disk, or go there. Where others are there already that
 * were sealed later, all of these are on disk, too.
 */
static void store_waiting(struct delivery_writer *delivery)
{
    struct held_block **link = &delivery->waiting;
    while (*link != NULL) {
        struct held_block *held = *link;
        if (held->on_disk && delivery_spill_has(delivery->spill, held)) {
            leave(delivery, held);
        } else if (held->on_disk) {
            evict(delivery, held);
        } else if (!store(delivery, held)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
    }
    note_spill(delivery);
    sink_writer_publish(&delivery->base);
}

/* Also while a record waits for room: what the destination does then makes it. */
static void serve_destination(struct delivery_writer *delivery)
{
    const struct delivery_ops *ops = ops_of(delivery);
    struct destination *destination = delivery->base.destination;
    if (ops->due != NULL && clock_monotonic_ns() >= ops->due(destination))
        ops->serve(destination);
}

/*
 * Others see since when the oldest record waits, whose block is in memory while any waits. That it
 * was sealed before the system was started is a time below 0.
 */
static void note_oldest(struct delivery_writer *delivery)
{
    int64_t oldest = INT64_MAX;
    for (size_t i = 0; i < delivery->count; i++) {
        const struct held_block *held = &delivery->blocks[i];
        if ((held->state == BLOCK_OUT || held->state == BLOCK_WAITS) && held->sealed_ns < oldest)
            oldest = held->sealed_ns;
    }
    if (oldest != delivery->oldest_ns) {
        int64_t since = oldest == INT64_MAX ? 0 : clock_monotonic_ns() - (clock_wall_ns() - oldest);
        atomic_store_explicit(&delivery->base.oldest_ns, since, memory_order_relaxed);
    }
    delivery->oldest_ns = oldest;
}

static void send_all(struct delivery_writer *delivery)
{
    if (delivery->waiting == NULL && delivery->spill == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    place_unstored(delivery, now);
    expire(delivery, now);
    send_waiting(delivery, now);
    while (take_from_disk(delivery, now))
        send_waiting(delivery, now);
}

/* Does all that can be done now without new records. */
static void catch_up(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    serve_destination(delivery);
    take_answers(delivery);
    send_all(delivery);
    note_oldest(delivery);
}

/* What is collected is ready to be sent. */
static void seal(struct delivery_writer *delivery)
{
    struct held_block *held = delivery->filled;
    if (held == NULL || held->block.count == 0)
        return;
    held_block_seal(held, delivery->next_number, clock_monotonic_ns());
    held->block.epoch = delivery->epoch;
    delivery->next_number += held->block.count;
    delivery->filled = NULL;
    place(delivery, held);
}

/* What has a spill goes on after the deadline, to the disk, for as long as that takes it. */
static bool is_late(struct sink_writer *writer)
{
    return writer->stores ? deadline_is_over(&writer->deadline) : !sink_writer_goes_on(writer);
}

/* The deadline is over: nothing is in any block when this returns. */
static void give_up(struct delivery_writer *delivery)
{
    delivery->stopping = delivery->storing = true;
    ops_of(delivery)->abandon(delivery->base.destination);
    take_answers(delivery);
    RULE(delivery->out == 0, "a destination answers every block that is abandoned");
    seal(delivery);
    if (delivery->unstored != NULL) {
        delivery->unstored->order = delivery->next_order++;
        held_block_queue(&delivery->waiting, delivery->unstored);
    }
    delivery->unstored = NULL;
    if (delivery->spill != NULL)
        store_waiting(delivery);
    if (delivery->waiting != NULL)
        delivery->base.state = SINK_GIVING_UP;
    give_waiting_up(delivery, clock_monotonic_ns());
}

/* --- collecting ------------------------------------------------------------------------------- */

/* Has a block that records are collected in. Returns false where none is empty. */
static bool begin_block(struct delivery_writer *delivery)
{
    if (delivery->filled != NULL)
        return true;
    if (delivery->unstored == NULL)
        delivery->filled = empty_block(delivery);
    if (delivery->filled != NULL)
        held_block_begin(delivery->filled, delivery->base.head.data, delivery->base.head.used);
    return delivery->filled != NULL;
}

static void add(struct delivery_writer *delivery, size_t start)
{
    struct held_block *held = delivery->filled;
    if (held->block.count == 0)
        held->collected_until_ns =
            delivery->base.options.flush_interval == 0
                ? INT64_MAX
                : sink_writer_collected_until(&delivery->base, clock_monotonic_ns());
    held_block_add(held, start, &delivery->addition);
}

static int64_t due(const struct sink_writer *writer);

/* Goes on until there is room for the next record. */
static bool make_room(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    if (delivery->filled != NULL && held_block_is_full(delivery->filled))
        seal(delivery);
    catch_up(writer);
    if (is_late(writer))
        give_up(delivery);
    return begin_block(delivery) || sink_writer_block(writer, NO_HANDLE, false, due(writer));
}

/* The record that belongs into another block comes there. */
static void move(struct delivery_writer *delivery)
{
    struct output *out = &delivery->filled->out;
    size_t start = out->used;
    memmove(out->data + start, delivery->moved->out.data + delivery->start,
            delivery->end - delivery->start);
    out->used = start + delivery->end - delivery->start;
    delivery->moved = NULL;
    add(delivery, start);
}

static bool put_on(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    if (!make_room(writer))
        return false;
    if (delivery->moved == NULL)
        return true;
    if (writer->state == SINK_WRITING) {
        move(delivery);
        return !held_block_is_full(delivery->filled) || make_room(writer);
    }
    delivery->moved = NULL;
    sink_writer_count_failed(writer, 1);
    return true;
}

static void describe(struct delivery_writer *delivery, const struct listener *listener,
                     const struct record *record, const struct encoded *encoded)
{
    const struct delivery_ops *ops = ops_of(delivery);
    struct destination *destination = delivery->base.destination;
    delivery->addition = (struct delivery_addition){
        .route = delivery->route,
        .key = delivery->key,
        .key_size = ops->key == NULL ? 0 : ops->key(destination, listener, record, delivery->key),
        .schema = record->schema->name,
        .listener = listener->name,
        .counts = encoded_counts_of(encoded),
    };
}

static bool put(struct sink_writer *writer, const struct listener *listener,
                const struct record *record)
{
    struct delivery_writer *delivery = of(writer);
    const struct delivery_ops *ops = ops_of(delivery);
    bool any = begin_block(delivery);
    RULE(any, "a delivery has a block to fill when a record comes");
    struct output *out = &delivery->filled->out;
    struct encoded encoded;
    size_t start = out->used;
    if (ops->route != NULL && !ops->route(writer->destination, listener, record, delivery->route)) {
        sink_writer_count_failed_by(writer, FAILED_REJECTED, 1);
        return true;
    }
    if (!sink_writer_encode(writer, listener, record, out, &encoded))
        return true;
    describe(delivery, listener, record, &encoded);
    if (held_block_takes(delivery->filled, delivery->route)) {
        add(delivery, start);
        return !held_block_is_full(delivery->filled) || make_room(writer);
    }
    delivery->moved = delivery->filled;
    delivery->start = start;
    delivery->end = out->used;
    out->used = start;
    seal(delivery);
    return put_on(writer);
}

/* --- time ------------------------------------------------------------------------------------- */

/*
 * While something is in flight more is collected: the answer says when to go on. In an outage it is
 * safer on disk.
 */
static bool has_work(const struct sink_writer *writer)
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    bool now = delivery->waiting != NULL ? delivery->spill != NULL : delivery->out == 0;
    return now && writer->options.flush_interval == 0 && delivery->unstored == NULL &&
           delivery->filled != NULL && delivery->filled->block.count != 0;
}

static bool flush(struct sink_writer *writer)
{
    seal(of(writer));
    return make_room(writer);
}

/* When a block that waits is to be sent, or is given up. */
static int64_t waiting_due(const struct delivery_writer *delivery)
{
    const struct sink_thread_options *options = &delivery->base.options;
    int64_t due_ns = INT64_MAX;
    if (delivery->waiting != NULL && !delivery->refused &&
        delivery->out < options->delivery.in_flight)
        due_ns = delivery->sends_ns;
    if (delivery->spill != NULL) {
        if (delivery->waiting == NULL && delivery->out < options->delivery.in_flight &&
            !delivery->stopping && !delivery->drained && delivery_spill_waits(delivery->spill))
            bring_forward(&due_ns, delivery->sends_ns);
        if (delivery->unstored != NULL)
            bring_forward(&due_ns, delivery->stores_ns);
        bring_forward(&due_ns, delivery_spill_due(delivery->spill));
        return due_ns;
    }
    for (const struct held_block *held = delivery->waiting; held != NULL; held = held->next)
        if (options->delivery.timeout < (uint64_t)(INT64_MAX - held->begun_ns))
            bring_forward(&due_ns, held->begun_ns + (int64_t)options->delivery.timeout);
    return due_ns;
}

static int64_t due(const struct sink_writer *writer)
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    const struct delivery_ops *ops = ops_of(delivery);
    int64_t due_ns = waiting_due(delivery);
    if (ops->due != NULL)
        bring_forward(&due_ns, ops->due(writer->destination));
    if (delivery->filled != NULL && delivery->filled->block.count != 0)
        bring_forward(&due_ns, delivery->filled->collected_until_ns);
    return due_ns;
}

static void serve_spill(struct delivery_writer *delivery, int64_t now_ns)
{
    struct error error;
    if (delivery->spill != NULL && now_ns >= delivery_spill_due(delivery->spill) &&
        !delivery_spill_tick(delivery->spill, now_ns, &error))
        log_spill(delivery, &error);
}

static bool serve(struct sink_writer *writer, int64_t now_ns)
{
    struct delivery_writer *delivery = of(writer);
    serve_spill(delivery, now_ns);
    if (delivery->filled != NULL && delivery->filled->block.count != 0 &&
        now_ns >= delivery->filled->collected_until_ns)
        seal(delivery);
    return make_room(writer);
}

/* The far end has no name that could stand for something else, but we may have another one. */
static void reopen(struct sink_writer *writer)
{
    const struct delivery_ops *ops = ops_of(of(writer));
    struct error error;
    if (!atomic_exchange(&writer->reopen_wanted, false) || ops->reopen == NULL)
        return;
    if (ops->reopen(writer->destination, &error) != 0)
        log_about(LOG_ERROR, LOG_OF_SINK, writer->options.name, "going on as before: %s",
                  error.text);
}

/* What waits need not be waited for where it can lie on disk: the far end does not answer. */
static void leave_waiting(struct delivery_writer *delivery)
{
    if (delivery->spill != NULL && delivery->waiting != NULL &&
        clock_monotonic_ns() < delivery->sends_ns)
        store_waiting(delivery);
}

/* The next sink that has this spill can open it. */
static void close_spill(struct delivery_writer *delivery)
{
    struct error error;
    note_spill(delivery);
    if (!delivery_spill_close(delivery->spill, &error))
        log_about(LOG_ERROR, LOG_OF_SINK, delivery->base.options.name, "%s", error.text);
    delivery->spill = NULL;
}

/* Waits until all is answered, or until the deadline is over. */
static void finish(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    delivery->stopping = true;
    for (;;) {
        serve_spill(delivery, clock_monotonic_ns());
        catch_up(writer);
        leave_waiting(delivery);
        if (delivery->out == 0 && delivery->waiting == NULL && delivery->unstored == NULL)
            break;
        if (is_late(writer)) {
            give_up(delivery);
            break;
        }
        int most = milliseconds_until(due(writer), clock_monotonic_ns());
        heartbeat_wait(writer->heartbeat);
        wakeup_wait(writer->wakeup, NO_HANDLE, false, deadline_wait_ms(&writer->deadline, most));
        heartbeat_work(writer->heartbeat);
    }
    close_spill(delivery);
}

/* Whether the far end goes is its destination's to know. */
static wait_handle handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making one ------------------------------------------------------------------------------- */

/* Records that a sink of this name has left there are taken over. */
static int open_spill(struct sink_writer *writer, struct error *error)
{
    struct delivery_writer *delivery = of(writer);
    const struct sink_thread_options *options = &writer->options;
    if (options->delivery.spill == NULL || delivery->spill != NULL)
        return 0;
    if (delivery_spill_open(&options->delivery, options->file.sync,
                            sink_writer_record_size(options), &delivery->spill, error) != 0)
        return -1;
    uint64_t recovered = delivery_spill_counts(delivery->spill).recovered;
    uint64_t before = counter_read(&options->counters->spilled);
    uint64_t ours = before < recovered ? before : recovered;
    delivery->seen = (struct delivery_spill_counts){0};
    delivery->spilled_before = before - ours;
    counter_add(&options->counters->recovered, recovered - ours);
    note_spill(delivery);
    return 0;
}

static void destroy(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    close_spill(delivery);
    for (size_t i = 0; i < delivery->count; i++)
        held_block_free(&delivery->blocks[i]);
    free(delivery);
}

static const struct sink_writer_ops delivery_writer_ops = {
    .open = open_spill,
    .put = put,
    .put_on = put_on,
    .catch_up = catch_up,
    .has_work = has_work,
    .flush = flush,
    .due = due,
    .serve = serve,
    .reopen = reopen,
    .finish = finish,
    .handle = handle,
    .destroy = destroy,
};

static bool make_epoch(struct delivery_writer *delivery)
{
    uint8_t bytes[EPOCH_BYTES];
    if (random_bytes(bytes, sizeof bytes, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(delivery->epoch + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct sink_writer *delivery_writer_create(const struct sink_thread_options *options,
                                           size_t record_size)
{
    size_t count = block_count(&options->delivery);
    struct delivery_writer *delivery =
        calloc(1, sizeof *delivery + count * sizeof delivery->blocks[0]);
    if (delivery == NULL)
        return NULL;
    delivery->base.ops = &delivery_writer_ops;
    delivery->base.stores = options->delivery.spill != NULL;
    delivery->oldest_ns = INT64_MAX;
    delivery->repeats = options->delivery.retry == RETRY_AT_LEAST_ONCE ||
                        options->delivery.spill != NULL ||
                        (options->delivery.retry == RETRY_AUTO && options->encoder->overwrites);
    bool made = make_epoch(delivery);
    while (made && delivery->count < count)
        made = held_block_make(&delivery->blocks[delivery->count++], record_size);
    if (made)
        return &delivery->base;
    destroy(&delivery->base);
    return NULL;
}
