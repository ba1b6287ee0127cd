/* Sinks as they run, with a way to each from every producer. */
#include <stdlib.h>

#include "collector/pipeline/pipeline_parts.h"

static int connect(struct pipeline *pipeline, size_t number, struct outlet *outlet, size_t capacity,
                   struct error *error)
{
    const struct producer *producer = &pipeline->producers[number];
    struct fan_out_sink *way = &outlet->ways[number];
    *way = (struct fan_out_sink){
        .name = outlet->config->name,
        .sink = outlet->sink,
        .queue = sink_thread_add_queue(outlet->sink, capacity, pipeline->known_count,
                                       producer->listeners > 1),
        .offers = ledger_offer_block(pipeline->ledger, outlet->index),
        .in_flight = &outlet->counters->in_flight,
        .drops_oldest = outlet->config->overflow == OVERFLOW_DROP_OLDEST,
    };
    outlet->way_count++;
    return way->queue == NULL || way->offers == NULL ? error_no_memory(error) : 0;
}

static int fill_outlet(struct pipeline *pipeline, struct outlet *outlet, size_t capacity,
                       struct error *error)
{
    outlet->ways = calloc(pipeline->producer_count, sizeof *outlet->ways);
    outlet->index = ledger_add_sink(pipeline->ledger, outlet->config->name);
    if (outlet->index >= 0)
        outlet->counters = ledger_sink_block(pipeline->ledger, outlet->index);
    if (outlet->ways == NULL || outlet->counters == NULL)
        return error_no_memory(error);
    struct sink_thread_options options = pipeline_sink_options(outlet->config);
    options.counters = outlet->counters;
    options.ended = pipeline_changed;
    options.ended_context = pipeline;
    options.before_write = pipeline->options.before_write;
    options.hook_context = pipeline->options.hook_context;
    if (sink_thread_create(&outlet->sink, &options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (connect(pipeline, i, outlet, capacity, error) != 0)
            return -1;
    return 0;
}

struct outlet *pipeline_make_outlet(struct pipeline *pipeline, const struct sink_config *config,
                                    size_t capacity, struct error *error)
{
    struct outlet *outlet = calloc(1, sizeof *outlet);
    if (outlet == NULL) {
        error_no_memory(error);
        return NULL;
    }
    outlet->config = config;
    outlet->index = -1;
    if (fill_outlet(pipeline, outlet, capacity, error) == 0)
        return outlet;
    if (outlet->index >= 0)
        ledger_withdraw_sink(pipeline->ledger, outlet->index);
    pipeline_destroy_outlet(outlet);
    return NULL;
}

/* Whoever comes next under its name counts on in its blocks. */
void pipeline_destroy_outlet(struct outlet *outlet)
{
    if (outlet == NULL)
        return;
    sink_thread_destroy(outlet->sink);
    for (size_t i = 0; i < outlet->way_count; i++)
        ledger_return_block(outlet->ways[i].offers);
    ledger_return_block(outlet->counters);
    free(outlet->ways);
    free(outlet);
}
