#include "collector/pipeline/pipeline_room.h"

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/queue/batch_queue.h"
#include "collector/record/batch.h"

struct batch_counts {
    uint64_t small;
    uint64_t large;
};

/*
 * Returns the number of batches that the removed sinks hold: those in their queues, and one for
 * each sink that is writing a batch.
 */
static struct batch_counts held_batches(const struct pipeline *pipeline)
{
    struct batch_counts held = {0};
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next) {
        struct queue_levels levels = sink_thread_queue_levels(slot->sink);
        size_t large = levels.large < levels.batches ? levels.large : levels.batches;
        held.small += levels.batches - large + 1;
        held.large += large + (large != 0);
    }
    return held;
}

static struct memory_sharers sharers_of(const struct pipeline *pipeline)
{
    struct memory_sharers sharers = {0};
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        if (pipeline->slots[i]->successor)
            sharers.successors++;
        else
            sharers.kept++;
    }
    return sharers;
}

static uint64_t excess(size_t level, size_t limit)
{
    return level > limit ? level - limit : 0;
}

/*
 * Sets the limits of a sink's queues. If a queue already holds more batches than its limit, adds
 * the difference to `extra`.
 */
static void limit_queues(const struct sink_slot *slot, size_t small, size_t large,
                         struct batch_counts *extra)
{
    for (size_t i = 0; i < slot->route_count; i++) {
        struct batch_queue *queue = slot->routes[i].queue;
        batch_queue_set_capacity(queue, small);
        batch_queue_set_large(queue, large);
        extra->small += excess(batch_queue_level(queue), small);
        extra->large += excess(batch_queue_large_level(queue), large);
    }
}

/* Called when no removed sink is left: all sinks then have the same limits. */
static void forget_successors(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        pipeline->slots[i]->successor = false;
}

void pipeline_share_room(struct pipeline *pipeline)
{
    if (pipeline->retired == NULL)
        forget_successors(pipeline);
    struct batch_counts held = held_batches(pipeline);
    struct memory_sharers sharers = sharers_of(pipeline);
    sharers.held = held.small;
    struct memory_share small = memory_plan_share(&pipeline->plan, false, &sharers);
    sharers.held = held.large;
    struct memory_share large = memory_plan_share(&pipeline->plan, true, &sharers);
    struct batch_counts extra = {.small = small.extra, .large = large.extra};
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        const struct sink_slot *slot = pipeline->slots[i];
        RULE(!slot->successor || pipeline->retired != NULL,
             "a successor shares with removed sinks");
        limit_queues(slot, slot->successor ? small.successors : small.kept,
                     slot->successor ? large.successors : large.kept, &extra);
    }
    batch_pool_resize(pipeline->pool, pipeline->plan.small_batches + extra.small,
                      pipeline->plan.large_batches + extra.large);
}
