#include "collector/output/delivery_time.h"

#include "collector/output/delivery_outage.h"
#include "collector/platform/clock.h"

/*
 * The pauses after a failure in nanoseconds: each is twice as long as the last one, up to the
 * longest.
 */
#define FIRST_PAUSE_NS   INT64_C(100000000)
#define LONGEST_PAUSE_NS INT64_C(5000000000)

void delivery_pause(struct delivery_writer *delivery, int64_t retry_after_ns, int64_t now)
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

bool delivery_is_over(const struct delivery_writer *delivery, const struct buffered_block *buffered,
                      int64_t now)
{
    if (delivery->spill != NULL)
        return false;
    return delivery->base.state != SINK_WRITING ||
           (uint64_t)(now - buffered->begun_ns) >=
               delivery->base.options.settings->delivery.timeout;
}

bool delivery_is_only_in_memory(const struct delivery_writer *delivery,
                                const struct buffered_block *buffered)
{
    return buffered_block_is_open(buffered) && buffered != delivery->unstored && !buffered->on_disk;
}

int64_t delivery_keep_due(const struct delivery_writer *delivery)
{
    bool any = false;
    int64_t begun_ns = INT64_MAX - DELIVERY_KEEP_NS;
    if (delivery->spill == NULL || delivery_spill_waits(delivery->spill))
        return INT64_MAX;
    for (size_t i = 0; i < delivery->count; i++) {
        const struct buffered_block *buffered = &delivery->blocks[i];
        any |= delivery_is_only_in_memory(delivery, buffered);
        if (buffered_block_is_open(buffered))
            bring_forward(&begun_ns, buffered->begun_ns);
    }
    if (!any)
        return INT64_MAX;
    int64_t due_ns =
        delivery->base.options.settings->file.sync == SYNC_ALWAYS ? 0 : begun_ns + DELIVERY_KEEP_NS;
    return due_ns > delivery->keeps_ns ? due_ns : delivery->keeps_ns;
}

/* Returns when a block can be sent, stored or given up, or when the spill is due. */
static int64_t waiting_due(const struct delivery_writer *delivery)
{
    const struct sink_thread_options *options = &delivery->base.options;
    int64_t due_ns = INT64_MAX;
    if (delivery->waiting != NULL && !delivery->refused &&
        delivery->out < options->settings->delivery.in_flight)
        due_ns = delivery->sends_ns;
    if (delivery->spill != NULL) {
        if (delivery->waiting == NULL && delivery->out < options->settings->delivery.in_flight &&
            !delivery->stopping && !delivery->drained && delivery_spill_waits(delivery->spill))
            bring_forward(&due_ns, delivery->sends_ns);
        if (delivery->unstored != NULL)
            bring_forward(&due_ns, delivery->stores_ns);
        bring_forward(&due_ns, delivery_keep_due(delivery));
        bring_forward(&due_ns, delivery_spill_due(delivery->spill));
        return due_ns;
    }
    for (const struct buffered_block *buffered = delivery->waiting; buffered != NULL;
         buffered = buffered->next)
        if (options->settings->delivery.timeout < (uint64_t)(INT64_MAX - buffered->begun_ns))
            bring_forward(&due_ns,
                          buffered->begun_ns + (int64_t)options->settings->delivery.timeout);
    return due_ns;
}

int64_t delivery_due(const struct sink_writer *writer)
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    const struct delivery_ops *ops = delivery_ops_of(delivery);
    int64_t due_ns = waiting_due(delivery);
    if (ops->due != NULL)
        bring_forward(&due_ns, ops->due(writer->destination));
    if (delivery->filled != NULL && delivery->filled->block.count != 0)
        bring_forward(&due_ns, delivery->filled->collected_until_ns);
    bring_forward(&due_ns, delivery_outage_due(delivery));
    return due_ns;
}
