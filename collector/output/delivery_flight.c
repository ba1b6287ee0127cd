#include "collector/output/delivery_flight.h"

#include "collector/output/delivery_fates.h"
#include "collector/output/delivery_store.h"
#include "collector/output/delivery_time.h"
#include "collector/platform/clock.h"

/* Others see since when the far end has answered nothing of what it has. */
static void note_waits(struct delivery_writer *delivery, int64_t now)
{
    atomic_store_explicit(&delivery->base.waits_since_ns, delivery->out == 0 ? 0 : now,
                          memory_order_relaxed);
}

/* The block has the answer that stands in it; `over`: it is not sent again. */
static void settle(struct delivery_writer *delivery, struct held_block *held, bool over,
                   const struct error *error, int64_t retry_after_ns, int64_t now)
{
    struct sink_writer *writer = &delivery->base;
    struct delivery_fates fates = {0};
    for (size_t i = 0; i < held->block.count; i++)
        delivery_settle_record(delivery, held, i, over, &fates);
    if (fates.written != 0) {
        sink_writer_note_success(writer);
        delivery->pause_ns = 0;
        histogram_note(&writer->options.counters->write_time, histogram_times,
                       (uint64_t)(now - held->begun_ns));
    } else if (fates.left == 0 && writer->state == SINK_WRITING) {
        sink_writer_note_failure(writer);
    }
    delivery_log_refusal(delivery, &fates, error);
    if (fates.left != 0) {
        sink_writer_note_retry(writer, error);
        delivery_pause(delivery, retry_after_ns, now);
        held->block.again = true;
        held_block_queue(&delivery->waiting, held);
        if (delivery->spill != NULL)
            delivery_keep_older(delivery);
    } else {
        if (held->on_disk)
            delivery_spill_settle(delivery->spill, held);
        held->state = BLOCK_EMPTY;
    }
    delivery_count_fates(delivery, &fates);
    delivery_note_spill(delivery);
}

void delivery_take_answers(struct delivery_writer *delivery)
{
    struct destination *destination = delivery->base.destination;
    struct error error = {0};
    int64_t retry_after_ns = 0;
    struct delivery_block *block;
    while (delivery->out != 0 && (block = delivery_ops_of(delivery)->answer(
                                      destination, &error, &retry_after_ns)) != NULL) {
        int64_t now = clock_monotonic_ns();
        delivery->out--;
        delivery->refused = delivery->drained = false;
        note_waits(delivery, now);
        struct held_block *held = (struct held_block *)block;
        settle(delivery, held, delivery_is_over(delivery, held, now), &error, retry_after_ns, now);
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
        if (!all && !delivery_is_over(delivery, held, now)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        held->block.per_record = false;
        held->block.fate = DELIVERY_NOT_SENT;
        settle(delivery, held, true, &error, 0, now);
    }
}

void delivery_expire(struct delivery_writer *delivery, int64_t now)
{
    take_out(delivery, false, now);
}

void delivery_give_waiting_up(struct delivery_writer *delivery, int64_t now)
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
    bool taken = delivery_ops_of(delivery)->send(writer->destination, &held->block, &error);
    sink_writer_end_io(writer);
    return taken;
}

void delivery_send_waiting(struct delivery_writer *delivery, int64_t now)
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

void delivery_serve_destination(struct delivery_writer *delivery)
{
    const struct delivery_ops *ops = delivery_ops_of(delivery);
    struct destination *destination = delivery->base.destination;
    if (ops->due != NULL && clock_monotonic_ns() >= ops->due(destination))
        ops->serve(destination);
}

void delivery_note_oldest(struct delivery_writer *delivery)
{
    int64_t oldest = INT64_MAX;
    for (size_t i = 0; i < delivery->count; i++) {
        const struct held_block *held = &delivery->blocks[i];
        if (held_block_is_open(held) && held->sealed_ns < oldest)
            oldest = held->sealed_ns;
    }
    if (oldest != delivery->oldest_ns) {
        int64_t since = oldest == INT64_MAX ? 0 : clock_monotonic_ns() - (clock_wall_ns() - oldest);
        atomic_store_explicit(&delivery->base.oldest_ns, since, memory_order_relaxed);
    }
    delivery->oldest_ns = oldest;
}
