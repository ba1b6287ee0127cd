#include "collector/pipeline/pipeline_room.h"

#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/queue/batch_queue.h"
#include "collector/record/batch.h"

void pipeline_add_held(const struct pipeline *pipeline, const struct sink_slot *slot,
                       struct held_memory *held)
{
    struct queue_levels levels = sink_thread_queue_levels(slot->sink);
    uint64_t large = (uint64_t)levels.large * batch_pool_large_size(pipeline->pool);
    uint64_t bytes = slot->memory + large;
    held->sinks++;
    held->large += levels.large;
    held->slots +=
        levels.batches - levels.large + (bytes + BATCH_SMALL_STRIDE - 1) / BATCH_SMALL_STRIDE;
}

struct held_memory pipeline_held(const struct pipeline *pipeline)
{
    struct held_memory held = {0};
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        pipeline_add_held(pipeline, slot, &held);
    return held;
}

static struct memory_share share_of(const struct pipeline *pipeline)
{
    size_t open = 0;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        open += pipeline->slots[i]->opened;
    return memory_plan_share(&pipeline->plan, open, pipeline->config->sink_count - open,
                             pipeline_held(pipeline).slots);
}

const char *pipeline_crowding_sink(const struct pipeline *pipeline)
{
    const struct sink_slot *first = pipeline->retired;
    if (first == NULL || !share_of(pipeline).crowded)
        return NULL;
    while (first->next != NULL)
        first = first->next;
    return first->config->name;
}

void pipeline_share_room(const struct pipeline *pipeline)
{
    struct memory_share share = share_of(pipeline);
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        const struct sink_slot *slot = pipeline->slots[i];
        for (size_t k = 0; k < slot->route_count; k++)
            batch_queue_set_capacity(slot->routes[k].queue,
                                     slot->opened ? share.open : share.waiting);
    }
}
