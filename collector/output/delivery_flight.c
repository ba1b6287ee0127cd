#include "collector/output/delivery_flight.h"

#include "collector/base/rule.h"
#include "collector/output/delivery_outcomes.h"
#include "collector/output/delivery_store.h"
#include "collector/output/delivery_time.h"
#include "collector/platform/clock.h"

/*
 * Publishes the time since which the destination owes an answer: `now`, or 0 if it has no
 * blocks.
 */
static void note_waits(struct delivery_writer *delivery, int64_t now)
{
    atomic_store_explicit(&delivery->base.waits_since_ns, delivery->out == 0 ? 0 : now,
                          memory_order_relaxed);
}

/* Applies the answer that is in the block. If `over`, the block is not sent again. */
static void complete_block(struct delivery_writer *delivery, struct buffered_block *buffered,
                           bool over, const struct error *error, int64_t retry_after_ns,
                           int64_t now)
{
    struct sink_writer *writer = &delivery->base;
    struct delivery_outcomes outcomes = {0};
    size_t open = 0, left = 0;
    for (size_t i = 0; i < buffered->block.count; i++) {
        const struct delivery_record *record = &buffered->block.records[i];
        open += !record->done;
        delivery_complete_record(delivery, buffered, i, over, &outcomes);
        left += !record->done;
    }
    RULE(delivery_outcomes_count(&outcomes) == open && outcomes.left == left,
         "each open record of an answer has one outcome");
    RULE(outcomes.left == 0 || !over, "a block that is over is not sent again");
    if (outcomes.written != 0) {
        sink_writer_note_success(writer);
        delivery->pause_ns = 0;
        histogram_note(&writer->options.counters->write_time, histogram_times,
                       (uint64_t)(now - buffered->begun_ns));
    } else if (outcomes.left == 0 && writer->state == SINK_WRITING) {
        if (!writer->outage.has_reason) /* a reason that the destination has set itself is more
                                         * exact */
            sink_outage_set_reason(&writer->outage, error->text);
        sink_writer_note_failure(writer);
    }
    delivery_log_refusal(delivery, &outcomes, error);
    if (outcomes.left != 0) {
        sink_writer_note_retry(writer, error);
        delivery_pause(delivery, retry_after_ns, now);
        buffered->block.again = true;
        buffered_block_queue(&delivery->waiting, buffered);
        if (delivery->spill != NULL)
            delivery_keep_older(delivery);
    } else {
        if (buffered->on_disk)
            delivery_spill_acknowledge(delivery->spill, buffered);
        buffered->state = BLOCK_EMPTY;
    }
    delivery_count_outcomes(delivery, &outcomes);
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
        struct buffered_block *buffered = (struct buffered_block *)block;
        RULE(buffered->state == BLOCK_OUT, "a destination answers blocks that it has");
        complete_block(delivery, buffered, delivery_is_over(delivery, buffered, now), &error,
                       retry_after_ns, now);
        error.text[0] = '\0';
        retry_after_ns = 0;
    }
}

static void take_out(struct delivery_writer *delivery, bool all, int64_t now)
{
    static const struct error error = {.text = "not sent within timeout="};
    struct buffered_block **link = &delivery->waiting;
    while (*link != NULL) {
        struct buffered_block *buffered = *link;
        if (!all && !delivery_is_over(delivery, buffered, now)) {
            link = &buffered->next;
            continue;
        }
        RULE(buffered->state == BLOCK_WAITS, "only waiting blocks are in the list");
        *link = buffered->next;
        buffered->block.per_record = false;
        buffered->block.outcome = DELIVERY_NOT_SENT;
        complete_block(delivery, buffered, true, &error, 0, now);
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

static bool hand_over(struct delivery_writer *delivery, struct buffered_block *buffered)
{
    struct sink_writer *writer = &delivery->base;
    struct error error;
    sink_writer_begin_io(writer);
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    RULE(buffered->state == BLOCK_WAITS && buffered->block.count != 0 && !buffered->block.lent,
         "a destination is given a sealed block of the writer");
    buffered->block.per_record = false;
    bool taken = delivery_ops_of(delivery)->send(writer->destination, &buffered->block, &error);
    sink_writer_end_io(writer);
    return taken;
}

void delivery_send_waiting(struct delivery_writer *delivery, int64_t now)
{
    delivery->refused = false;
    while (delivery->waiting != NULL && now >= delivery->sends_ns &&
           delivery->out < delivery->base.options.settings->delivery.in_flight) {
        struct buffered_block *buffered = delivery->waiting;
        delivery->refused = !hand_over(delivery, buffered);
        if (delivery->refused)
            return;
        delivery->waiting = buffered->next;
        buffered->state = BLOCK_OUT;
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
        const struct buffered_block *buffered = &delivery->blocks[i];
        if (buffered_block_is_open(buffered) && buffered->sealed_ns < oldest)
            oldest = buffered->sealed_ns;
    }
    if (oldest != delivery->oldest_ns) {
        int64_t since = oldest == INT64_MAX ? 0 : clock_monotonic_ns() - (clock_wall_ns() - oldest);
        atomic_store_explicit(&delivery->base.oldest_ns, since, memory_order_relaxed);
    }
    delivery->oldest_ns = oldest;
}
