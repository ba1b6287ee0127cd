#include "collector/output/delivery_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/schema.h"
#include "collector/output/delivery_blocks.h"
#include "collector/platform/clock.h"
#include "collector/platform/random.h"

/* How long the far end is left alone after a block was not taken: doubled up to the longest. */
#define FIRST_PAUSE_NS   INT64_C(100000000)
#define LONGEST_PAUSE_NS INT64_C(5000000000)

#define EPOCH_BYTES 8

struct delivery_writer {
    struct sink_writer base;
    bool repeats; /* a block whose fate is unknown is sent again */
    char epoch[2 * EPOCH_BYTES + 1];
    uint64_t next_number;       /* of the next record that is ready to be sent */
    struct held_block *filled;  /* NULL: none is empty, or nothing was taken yet */
    struct held_block *waiting; /* by number */
    size_t out;                 /* blocks that are with the destination */
    bool refused;               /* it had no room for the first that waits */
    int64_t pause_ns;           /* the next one; 0: the first */
    int64_t sends_ns;           /* monotonic: nothing is sent before */
    struct log_limit refusal_log;

    /* A put that stopped half-way: the record stands there, and belongs into the next block. */
    struct held_block *moved;
    size_t start, end;
    struct delivery_addition addition;
    char route[DELIVERY_ROUTE_SIZE];
    uint8_t key[DELIVERY_KEY_SIZE];

    size_t count;
    struct held_block blocks[];
};

/* One more than may be in flight, so that records are collected meanwhile. */
static size_t block_count(const struct delivery_options *options)
{
    return (size_t)options->in_flight + 1;
}

size_t delivery_writer_memory(const struct delivery_options *options, size_t record_size)
{
    return sizeof(struct delivery_writer) +
           block_count(options) * (sizeof(struct held_block) + held_block_memory(record_size));
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
    record->doubtful = record->doubtful || fate == DELIVERY_UNKNOWN;
    if (fate == DELIVERY_REFUSED && !record->doubtful) {
        record->done = true;
        fates->failed[reason_of(reason)]++;
        return;
    }
    bool again = fate == DELIVERY_NOT_SENT || (fate == DELIVERY_UNKNOWN && delivery->repeats);
    if (again && !over)
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

static bool is_over(const struct delivery_writer *delivery, const struct held_block *held,
                    int64_t now)
{
    return delivery->base.state != SINK_WRITING ||
           (uint64_t)(now - held->begun_ns) >= delivery->base.options.delivery.timeout;
}

/* The block has the answer that stands in it. */
static void settle(struct delivery_writer *delivery, struct held_block *held,
                   const struct error *error, int64_t retry_after_ns, int64_t now)
{
    struct sink_writer *writer = &delivery->base;
    struct fates fates = {0};
    bool over = is_over(delivery, held, now);
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
    } else {
        held->state = BLOCK_EMPTY;
    }
    count_fates(delivery, &fates);
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
        delivery->refused = false;
        note_waits(delivery, now);
        settle(delivery, (struct held_block *)block, &error, retry_after_ns, now);
        error.text[0] = '\0';
        retry_after_ns = 0;
    }
}

/* Takes out those that wait and whose time is over. */
static void expire(struct delivery_writer *delivery, int64_t now)
{
    static const struct error error = {.text = "it could not be sent in timeout="};
    struct held_block **link = &delivery->waiting;
    while (*link != NULL) {
        struct held_block *held = *link;
        if (!is_over(delivery, held, now)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        held->block.per_record = false;
        held->block.fate = DELIVERY_NOT_SENT;
        settle(delivery, held, &error, 0, now);
    }
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

/* Does all that can be done now without new records. */
static void catch_up(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    take_answers(delivery);
    if (delivery->waiting == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    expire(delivery, now);
    send_waiting(delivery, now);
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
    held_block_queue(&delivery->waiting, held);
    delivery->filled = NULL;
}

/* The deadline is over: nothing is in any block when this returns. */
static void give_up(struct delivery_writer *delivery)
{
    ops_of(delivery)->abandon(delivery->base.destination);
    take_answers(delivery);
    RULE(delivery->out == 0, "a destination answers every block that is abandoned");
    seal(delivery);
    expire(delivery, clock_monotonic_ns());
}

/* --- collecting ------------------------------------------------------------------------------- */

/* Has a block that records are collected in. Returns false where none is empty. */
static bool begin_block(struct delivery_writer *delivery)
{
    for (size_t i = 0; delivery->filled == NULL && i < delivery->count; i++)
        if (delivery->blocks[i].state == BLOCK_EMPTY) {
            delivery->filled = &delivery->blocks[i];
            held_block_begin(delivery->filled, delivery->base.head.data, delivery->base.head.used);
        }
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
    if (!sink_writer_goes_on(writer))
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

/* While something is in flight more is collected: the answer says when to go on. */
static bool has_work(const struct sink_writer *writer)
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    return writer->options.flush_interval == 0 && delivery->out == 0 && delivery->waiting == NULL &&
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

static void serve_destination(struct delivery_writer *delivery, int64_t now_ns)
{
    const struct delivery_ops *ops = ops_of(delivery);
    struct destination *destination = delivery->base.destination;
    if (ops->due != NULL && now_ns >= ops->due(destination))
        ops->serve(destination);
}

static bool serve(struct sink_writer *writer, int64_t now_ns)
{
    struct delivery_writer *delivery = of(writer);
    serve_destination(delivery, now_ns);
    if (delivery->filled != NULL && delivery->filled->block.count != 0 &&
        now_ns >= delivery->filled->collected_until_ns)
        seal(delivery);
    return make_room(writer);
}

/* The far end has no name that could stand for something else. */
static void reopen(struct sink_writer *writer)
{
    atomic_store(&writer->reopen_wanted, false);
}

/* Waits until all is answered, or until the deadline is over. */
static void finish(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    for (;;) {
        serve_destination(delivery, clock_monotonic_ns());
        catch_up(writer);
        if (delivery->out == 0 && delivery->waiting == NULL)
            return;
        if (!sink_writer_goes_on(writer)) {
            give_up(delivery);
            return;
        }
        int most = milliseconds_until(due(writer), clock_monotonic_ns());
        heartbeat_wait(writer->heartbeat);
        wakeup_wait(writer->wakeup, NO_HANDLE, false, deadline_wait_ms(&writer->deadline, most));
        heartbeat_work(writer->heartbeat);
    }
}

/* Whether the far end goes is its destination's to know. */
static wait_handle handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making one ------------------------------------------------------------------------------- */

static void destroy(struct sink_writer *writer)
{
    struct delivery_writer *delivery = of(writer);
    for (size_t i = 0; i < delivery->count; i++)
        held_block_free(&delivery->blocks[i]);
    free(delivery);
}

static const struct sink_writer_ops delivery_writer_ops = {
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
    delivery->repeats = options->delivery.retry == RETRY_AT_LEAST_ONCE ||
                        (options->delivery.retry == RETRY_AUTO && options->encoder->overwrites);
    bool made = make_epoch(delivery);
    while (made && delivery->count < count)
        made = held_block_make(&delivery->blocks[delivery->count++], record_size);
    if (made)
        return &delivery->base;
    destroy(&delivery->base);
    return NULL;
}
