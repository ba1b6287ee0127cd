#include "collector/output/delivery_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/schema.h"
#include "collector/output/delivery_flight.h"
#include "collector/output/delivery_outage.h"
#include "collector/output/delivery_state.h"
#include "collector/output/delivery_store.h"
#include "collector/output/delivery_time.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"

/*
 * Returns the number of blocks: one for each block in flight (in_flight=), and one to collect
 * records in. With a spill there is one more, so that blocks from disk can be sent while a block
 * cannot be stored.
 */
static size_t block_count(const struct delivery_options *options)
{
    return (size_t)options->in_flight + (options->spill == NULL ? 1 : 2);
}

size_t delivery_writer_memory(const struct delivery_options *options, size_t record_size)
{
    return sizeof(struct delivery_writer) +
           block_count(options) *
               (sizeof(struct buffered_block) + buffered_block_memory(record_size)) +
           (options->spill == NULL ? 0 : delivery_spill_memory(record_size));
}

static void delivery_send_all(struct delivery_writer *delivery)
{
    if (delivery->waiting == NULL && delivery->spill == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    delivery_retry_unstored(delivery, now);
    delivery_expire(delivery, now);
    delivery_keep_late(delivery, now);
    delivery_send_waiting(delivery, now);
    while (delivery_take_from_disk(delivery, now))
        delivery_send_waiting(delivery, now);
}

/* Does all work that does not need new records. */
static void delivery_catch_up(struct sink_writer *writer)
{
    struct delivery_writer *delivery = delivery_of(writer);
    delivery_serve_destination(delivery);
    delivery_take_answers(delivery);
    delivery_outage_look(delivery, clock_monotonic_ns());
    delivery_send_all(delivery);
    delivery_note_oldest(delivery);
}

static void delivery_seal(struct delivery_writer *delivery)
{
    struct buffered_block *buffered = delivery->filled;
    if (buffered == NULL || buffered->block.count == 0)
        return;
    buffered_block_seal(buffered, delivery->next_number, clock_monotonic_ns());
    buffered->block.epoch = delivery->epoch;
    delivery->next_number += buffered->block.count;
    delivery->filled = NULL;
    delivery_queue_or_store(delivery, buffered);
}

/*
 * Returns true if the writer must give up because the deadline has passed. In that case sets its
 * state to SINK_GIVING_UP, unless the writer stores the remaining records on disk. A writer that
 * stores records gives up only the blocks that cannot be stored.
 */
static bool is_late(struct sink_writer *writer)
{
    return writer->stores ? deadline_is_over(&writer->deadline) : !sink_writer_goes_on(writer);
}

/* Gives up because the deadline has passed. After the call no block waits or is in flight. */
static void delivery_give_up(struct delivery_writer *delivery)
{
    delivery->stopping = delivery->storing = true;
    delivery_ops_of(delivery)->abandon(delivery->base.destination);
    delivery_take_answers(delivery);
    RULE(delivery->out == 0, "a destination answers every block that is abandoned");
    delivery_seal(delivery);
    if (delivery->unstored != NULL) {
        delivery->unstored->order = delivery->next_order++;
        buffered_block_queue(&delivery->waiting, delivery->unstored);
    }
    delivery->unstored = NULL;
    if (delivery->spill != NULL)
        delivery_store_waiting(delivery);
    if (delivery->waiting != NULL)
        delivery->base.state = SINK_GIVING_UP;
    delivery_give_waiting_up(delivery, clock_monotonic_ns());
    RULE(delivery->waiting == NULL && delivery->out == 0,
         "after the deadline no block has records");
}

/* --- collecting ------------------------------------------------------------------------------- */

static bool begin_block(struct delivery_writer *delivery)
{
    if (delivery->filled != NULL)
        return true;
    if (delivery->unstored == NULL)
        delivery->filled = delivery_empty_block(delivery, NULL);
    if (delivery->filled != NULL)
        buffered_block_begin(delivery->filled, delivery->base.head.data, delivery->base.head.used);
    return delivery->filled != NULL;
}

static int64_t collected_until(const struct delivery_writer *delivery)
{
    if (delivery->base.options.settings->flush_interval != 0)
        return sink_writer_collected_until(&delivery->base, clock_monotonic_ns());
    return delivery->spill == NULL ? INT64_MAX : clock_monotonic_ns() + DELIVERY_KEEP_NS;
}

static void delivery_add(struct delivery_writer *delivery, size_t start)
{
    struct buffered_block *buffered = delivery->filled;
    if (buffered->block.count == 0)
        buffered->collected_until_ns = collected_until(delivery);
    buffered_block_add(buffered, start, &delivery->addition);
}

/*
 * Seals a full block. Returns true if there is room for the next record; otherwise describes the
 * wait (sink_writer_block).
 */
static bool delivery_make_room(struct sink_writer *writer)
{
    struct delivery_writer *delivery = delivery_of(writer);
    if (delivery->filled != NULL && buffered_block_is_full(delivery->filled))
        delivery_seal(delivery);
    delivery_catch_up(writer);
    if (is_late(writer))
        delivery_give_up(delivery);
    return begin_block(delivery) ||
           sink_writer_block(writer, NO_HANDLE, false, delivery_due(writer));
}

static void move_record(struct delivery_writer *delivery)
{
    struct output *out = &delivery->filled->out;
    size_t start = out->used;
    memmove(out->data + start, delivery->moved->out.data + delivery->start,
            delivery->end - delivery->start);
    out->used = start + delivery->end - delivery->start;
    delivery->moved = NULL;
    delivery_add(delivery, start);
}

static bool delivery_put_on(struct sink_writer *writer)
{
    struct delivery_writer *delivery = delivery_of(writer);
    if (!delivery_make_room(writer))
        return false;
    if (delivery->moved == NULL)
        return true;
    if (writer->state == SINK_WRITING) {
        move_record(delivery);
        return !buffered_block_is_full(delivery->filled) || delivery_make_room(writer);
    }
    delivery->moved = NULL;
    sink_writer_count_failed(writer, 1);
    return true;
}

static void describe_addition(struct delivery_writer *delivery, const struct listener *listener,
                              const struct record *record, const struct encoded *encoded)
{
    const struct delivery_ops *ops = delivery_ops_of(delivery);
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

static bool delivery_put(struct sink_writer *writer, const struct listener *listener,
                         const struct record *record)
{
    struct delivery_writer *delivery = delivery_of(writer);
    const struct delivery_ops *ops = delivery_ops_of(delivery);
    bool any = begin_block(delivery);
    RULE(any && delivery->moved == NULL, "a delivery has a block to fill when a record comes");
    struct output *out = &delivery->filled->out;
    struct encoded encoded;
    size_t start = out->used;
    if (ops->route != NULL && !ops->route(writer->destination, listener, record, delivery->route)) {
        sink_writer_count_failed_by(writer, FAILED_REJECTED, 1);
        return true;
    }
    if (!sink_writer_encode(writer, listener, record, out, &encoded))
        return true;
    describe_addition(delivery, listener, record, &encoded);
    if (buffered_block_takes(delivery->filled, delivery->route)) {
        delivery_add(delivery, start);
        return !buffered_block_is_full(delivery->filled) || delivery_make_room(writer);
    }
    delivery->moved = delivery->filled;
    delivery->start = start;
    delivery->end = out->used;
    out->used = start;
    delivery_seal(delivery);
    return delivery_put_on(writer);
}

/* --- time ------------------------------------------------------------------------------------- */

/*
 * Returns true if collected records should be sent now. While a block is in flight, records are
 * collected until it is answered. While a block waits, a sink with a spill does not collect
 * records, because records on disk are safer.
 */
static bool delivery_has_work(const struct sink_writer *writer)
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    bool now = delivery->waiting != NULL ? delivery->spill != NULL : delivery->out == 0;
    return now && writer->options.settings->flush_interval == 0 && delivery->unstored == NULL &&
           delivery->filled != NULL && delivery->filled->block.count != 0;
}

static bool delivery_flush(struct sink_writer *writer)
{
    delivery_seal(delivery_of(writer));
    return delivery_make_room(writer);
}

static bool delivery_serve(struct sink_writer *writer, int64_t now_ns)
{
    struct delivery_writer *delivery = delivery_of(writer);
    delivery_serve_spill(delivery, now_ns);
    if (delivery->filled != NULL && delivery->filled->block.count != 0 &&
        now_ns >= delivery->filled->collected_until_ns)
        delivery_seal(delivery);
    return delivery_make_room(writer);
}

/* Makes the destination read its credentials again. The far end has no file to reopen. */
static void delivery_reopen(struct sink_writer *writer)
{
    const struct delivery_ops *ops = delivery_ops_of(delivery_of(writer));
    struct error error;
    if (!atomic_exchange(&writer->reopen_wanted, false) || ops->reopen == NULL)
        return;
    if (ops->reopen(writer->destination, &error) != 0)
        log_about(LOG_ERROR, LOG_OF_SINK, writer->options.name, "going on as before: %s",
                  error.text);
}

/*
 * Stores waiting blocks during a pause, because the far end does not answer. If an older block
 * cannot be stored, newer blocks must not be stored, because they would be sent before it.
 */
static void leave_waiting(struct delivery_writer *delivery)
{
    if (delivery->spill != NULL && delivery->waiting != NULL &&
        clock_monotonic_ns() < delivery->sends_ns && delivery_keep_older(delivery))
        delivery_store_waiting(delivery);
}

static void delivery_finish(struct sink_writer *writer)
{
    struct delivery_writer *delivery = delivery_of(writer);
    delivery->stopping = true;
    for (;;) {
        delivery_serve_spill(delivery, clock_monotonic_ns());
        delivery_catch_up(writer);
        leave_waiting(delivery);
        if (delivery->out == 0 && delivery->waiting == NULL && delivery->unstored == NULL)
            break;
        if (is_late(writer)) {
            delivery_give_up(delivery);
            break;
        }
        int most = milliseconds_until(delivery_due(writer), clock_monotonic_ns());
        heartbeat_wait(writer->heartbeat);
        wakeup_wait(writer->wakeup, NO_HANDLE, false, deadline_wait_ms(&writer->deadline, most));
        heartbeat_work(writer->heartbeat);
    }
    RULE(delivery->filled == NULL || delivery->filled->block.count == 0,
         "a writer has flushed before it finishes");
    delivery_leave_spill(delivery);
}

/*
 * Returns no handle, because the destination itself notices when the far end closes its
 * connection.
 */
static wait_handle delivery_handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making a writer -------------------------------------------------------------------------- */

static void delivery_destroy(struct sink_writer *writer)
{
    struct delivery_writer *delivery = delivery_of(writer);
    delivery_close_spill(delivery);
    spill_close(writer->open_spill, NULL);
    for (size_t i = 0; i < delivery->count; i++)
        buffered_block_free(&delivery->blocks[i]);
    free(delivery);
}

static const struct sink_writer_ops delivery_writer_ops = {
    .open = delivery_open_spill,
    .put = delivery_put,
    .put_on = delivery_put_on,
    .catch_up = delivery_catch_up,
    .has_work = delivery_has_work,
    .flush = delivery_flush,
    .due = delivery_due,
    .serve = delivery_serve,
    .reopen = delivery_reopen,
    .finish = delivery_finish,
    .handle = delivery_handle,
    .describe_waiting = delivery_outage_describe,
    .destroy = delivery_destroy,
};

static bool make_epoch(struct delivery_writer *delivery)
{
    uint8_t bytes[DELIVERY_EPOCH_BYTES];
    if (random_bytes(bytes, sizeof bytes, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(delivery->epoch + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

struct sink_writer *delivery_writer_create(const struct sink_thread_options *options,
                                           size_t record_size)
{
    size_t count = block_count(&options->settings->delivery);
    struct delivery_writer *delivery =
        calloc(1, sizeof *delivery + count * sizeof delivery->blocks[0]);
    if (delivery == NULL)
        return NULL;
    delivery->base.ops = &delivery_writer_ops;
    delivery->base.stores = options->settings->delivery.spill != NULL;
    delivery->oldest_ns = INT64_MAX;
    delivery->repeats = delivery_repeats(options->settings->delivery.retry,
                                         options->settings->delivery.spill != NULL,
                                         options->settings->encoder->overwrites);
    bool made = make_epoch(delivery);
    while (made && delivery->count < count)
        made = buffered_block_make(&delivery->blocks[delivery->count++], record_size);
    if (made)
        return &delivery->base;
    delivery_destroy(&delivery->base);
    return NULL;
}
