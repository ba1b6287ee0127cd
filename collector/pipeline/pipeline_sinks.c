#include "collector/pipeline/pipeline_sinks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_events.h"
#include "collector/pipeline/pipeline_left_spills.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/queue/batch_queue.h"

static bool make_offers(struct pipeline *pipeline, const struct sink_slot *slot,
                        struct fan_out_sink *route)
{
    if (route->offers == NULL)
        route->offers = ledger_offer_block(pipeline->ledger, slot->index);
    return route->offers != NULL;
}

static int connect(struct pipeline *pipeline, size_t number, struct sink_slot *slot,
                   size_t capacity, struct error *error)
{
    RULE(number == slot->route_count, "a sink's queues are added in the order of the producers");
    const struct producer *producer = &pipeline->producers[number];
    struct fan_out_sink *route = &slot->routes[number];
    *route = (struct fan_out_sink){
        .name = slot->config->name,
        .sink = slot->sink,
        .queue = sink_thread_add_queue(slot->sink, capacity, pipeline->known_count,
                                       producer->listeners > 1),
        .in_flight = &slot->counters->in_flight,
        .drops = slot->config->overflow == OVERFLOW_DROP_NEWEST ||
                 slot->config->overflow == OVERFLOW_DROP_OLDEST,
        .drops_oldest = slot->config->overflow == OVERFLOW_DROP_OLDEST,
        .takes_raw = slot->config->settings.relay.raw,
    };
    if (route->queue == NULL)
        return error_no_memory(error);
    slot->route_count++;
    if (!producer->claimed)
        batch_queue_close(route->queue);
    return make_offers(pipeline, slot, route) ? 0 : error_no_memory(error);
}

int pipeline_connect_sink(struct pipeline *pipeline, struct sink_slot *slot,
                          const struct producer *producer, size_t capacity, struct error *error)
{
    size_t number = (size_t)(producer - pipeline->producers);
    struct fan_out_sink *grown =
        realloc(slot->routes, pipeline->producer_count * sizeof *slot->routes);
    if (grown == NULL)
        return error_no_memory(error);
    slot->routes = grown;
    while (slot->route_count <= number)
        if (connect(pipeline, slot->route_count, slot, capacity, error) != 0)
            return -1;
    struct fan_out_sink *route = &slot->routes[number];
    if (batch_queue_finished(route->queue))
        batch_queue_open_again(route->queue);
    return make_offers(pipeline, slot, route) ? 0 : error_no_memory(error);
}

static bool has_spill_and_name_of(const struct sink_config *before,
                                  const struct sink_config *config)
{
    return sink_configs_share_spill(before, config) && strcmp(before->name, config->name) == 0;
}

static bool counts_on_after(const struct pipeline *pipeline, const struct sink_slot *before,
                            const struct sink_config *config)
{
    return has_spill_and_name_of(before->config, config) &&
           ledger_sink_is_live(pipeline->ledger, before->index);
}

static int entry_of_spill(const struct pipeline *pipeline, const struct sink_config *config)
{
    for (const struct sink_slot *before = pipeline->retired; before != NULL; before = before->next)
        if (has_spill_and_name_of(before->config, config))
            return before->index;
    return pipeline_left_entry(pipeline, config);
}

/*
 * Finds the sink's ledger entry; returns its index, or -1. The records in a spill stay in the entry
 * of the sink that stored them. So a sink that will take over the spill of a live sink shares the
 * live sink's entry, and a sink that takes over a left spill gets the entry of the removed sink.
 */
static int find_entry(struct pipeline *pipeline, struct sink_slot *slot)
{
    for (size_t i = 0; pipeline->slots != NULL && i < pipeline->config->sink_count; i++) {
        const struct sink_slot *before = pipeline->slots[i];
        slot->counts_on = before != NULL && counts_on_after(pipeline, before, slot->config);
        if (slot->counts_on)
            return before->index;
    }
    int index = entry_of_spill(pipeline, slot->config);
    if (index < 0 || ledger_sink_is_live(pipeline->ledger, index))
        return ledger_add_sink(pipeline->ledger, slot->config->name);
    ledger_begin_sink(pipeline->ledger, index);
    return index;
}

static int fill_slot(struct pipeline *pipeline, struct sink_slot *slot, const struct config *whole,
                     size_t capacity, struct error *error)
{
    slot->routes = calloc(pipeline->producer_count, sizeof *slot->routes);
    slot->index = find_entry(pipeline, slot);
    if (slot->index >= 0)
        slot->counters = pipeline_left_counters(pipeline, slot);
    if (slot->index >= 0 && slot->counters == NULL)
        slot->counters = ledger_sink_block(pipeline->ledger, slot->index);
    if (slot->routes == NULL || slot->counters == NULL)
        return error_no_memory(error);
    struct sink_thread_options options = pipeline_sink_of(whole, slot->config);
    options.counters = slot->counters;
    options.stall_timeout_ns = pipeline->config->limits.stall_timeout_ns;
    options.ended = pipeline_changed;
    options.ended_context = pipeline;
    options.before_write = pipeline->options.before_write;
    options.hook_context = pipeline->options.hook_context;
    if (sink_thread_create(&slot->sink, &options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (connect(pipeline, i, slot, capacity, error) != 0)
            return -1;
    return 0;
}

void pipeline_cancel_entry(struct pipeline *pipeline, struct sink_slot *slot)
{
    if (slot->counters == pipeline_left_counters(pipeline, slot))
        slot->counters = NULL; /* the list of left spills keeps these counters */
    if (slot->index >= 0 && !slot->counts_on)
        ledger_cancel_sink(pipeline->ledger, slot->index);
}

struct sink_slot *pipeline_make_sink(struct pipeline *pipeline, const struct config *whole,
                                     size_t index, size_t capacity, struct error *error)
{
    struct sink_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL) {
        error_no_memory(error);
        return NULL;
    }
    RULE(index < whole->sink_count, "the sink is of the configuration");
    slot->config = &whole->sinks[index];
    slot->index = -1;
    if (fill_slot(pipeline, slot, whole, capacity, error) == 0)
        return slot;
    pipeline_cancel_entry(pipeline, slot);
    pipeline_destroy_sink(slot);
    return NULL;
}

/*
 * Frees the sink and gives its counter blocks back to the ledger. The next sink of the same name
 * continues to count in these blocks.
 */
void pipeline_destroy_sink(struct sink_slot *slot)
{
    if (slot == NULL)
        return;
    sink_thread_destroy(slot->sink);
    for (size_t i = 0; i < slot->route_count; i++)
        ledger_return_block(slot->routes[i].offers);
    ledger_return_block(slot->counters);
    free(slot->routes);
    free(slot);
}
