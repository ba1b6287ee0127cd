/*
 * Makes the new parts of a reload while the present parts run, and starts or cancels the new parts.
 */
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_keys.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_paths.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_retired.h"
#include "collector/pipeline/pipeline_sinks.h"
#include "collector/pipeline/pipeline_sources.h"
#include "collector/pipeline/reload.h"
#include "collector/platform/clock.h"
#include "collector/queue/batch_queue.h"
#include "collector/record/batch.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sender_keys.h"

/* --- making the parts ------------------------------------------------------------------------- */

static int claim_producers(struct reload *reload, struct error *error)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        if (!reload_adds_listener(reload, i) || config->source->producer == NULL)
            continue;
        reload->producers[i] =
            pipeline_claim_producer(reload->pipeline, pipeline_threads_of(config));
        if (reload->producers[i] != NULL)
            continue;
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: more than %d listeners since the start, or with records in queues; restart",
                  config->name, BATCH_QUEUE_LISTENERS);
        error_place(error, config->written_at);
        return -1;
    }
    return 0;
}

/*
 * Returns how many bytes the kept listeners hold but no longer need. They do not free this memory.
 */
static uint64_t memory_kept(const struct reload *reload)
{
    const struct pipeline *pipeline = reload->pipeline;
    uint64_t kept = 0;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        const struct producer_ops *ops = config->source->producer;
        if (reload_adds_listener(reload, i) || ops == NULL || ops->memory_after == NULL)
            continue;
        const struct source *source = pipeline->sources[reload->change.listeners[i]];
        const struct producer *producer = pipeline_producer_of(pipeline, source, 0);
        kept += ops->memory_after(producer->object, config) - config->source->memory(config);
    }
    return kept;
}

static int plan_memory(struct reload *reload, struct error *error)
{
    const struct pipeline *pipeline = reload->pipeline;
    struct memory_needs needs;
    if (pipeline_count_needs(reload->to, pipeline->notifier, pipeline->options.reserved, &needs,
                             error) != 0)
        return -1;
    if (needs.spread_window > pipeline->plan.spread_window) {
        error_set(error, EXIT_CODE_CONFIG,
                  "spread=datagram with more receivers= or a larger receive_buffer= than at the "
                  "start needs a restart");
        return -1;
    }
    needs.spread_window = pipeline->plan.spread_window;
    needs.fan_outs = pipeline->receiver_count;
    needs.receivers = pipeline->receiver_count * pipeline->receiver_threads;
    needs.source_memory += memory_kept(reload);
    if (needs.large_batch < batch_pool_large_size(pipeline->pool)) /* an existing large batch is
                                                                    * never made smaller */
        needs.large_batch = batch_pool_large_size(pipeline->pool);
    needs.producer_threads = 0;
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++)
        needs.producer_threads += pipeline->producers[i].thread_count;
    return memory_plan_make(&reload->plan, reload->to->limits.memory, &needs, error);
}

static int reload_allocate(struct reload *reload, struct error *error)
{
    size_t listeners = reload->to->listener_count;
    reload->limits = calloc(listeners, sizeof(struct rate_limit *));
    reload->keys = calloc(listeners, sizeof(struct sender_keys *));
    reload->sources = calloc(listeners, sizeof(struct source *));
    reload->producers = calloc(listeners, sizeof(struct producer *));
    reload->slots = calloc(reload->to->sink_count, sizeof(struct sink_slot *));
    reload->routes = calloc(reload->to->sink_count, sizeof *reload->routes);
    if (reload->limits == NULL || reload->keys == NULL || reload->sources == NULL ||
        reload->producers == NULL || reload->slots == NULL || reload->routes == NULL)
        return error_no_memory(error);
    return 0;
}

static int reload_make_sources(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        if (reload_adds_listener(reload, i)) {
            struct schema_list *list = reload->lists[i];
            reload->lists[i] = NULL;
            reload->sources[i] = pipeline_add_source(pipeline, reload->to, i, list, error);
            if (reload->sources[i] == NULL)
                return -1;
            pipeline_give_keys(reload->sources[i], reload->keys[i]);
            reload->keys[i] = NULL;
            continue;
        }
        RULE(reload->change.listeners[i] < pipeline->config->listener_count,
             "a kept listener is of the present configuration");
        struct source *source = pipeline->sources[reload->change.listeners[i]];
        reload->sources[i] = source;
        if (source->config->rate_limit != config->rate_limit &&
            pipeline_make_rate_limit(config, &reload->limits[i], error) != 0)
            return -1;
    }
    return 0;
}

static int make_producers(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        struct producer *producer = reload->producers[i];
        if (producer == NULL)
            continue;
        if (pipeline_make_own(pipeline, producer, reload->sources[i], error) != 0)
            return -1;
        for (size_t k = 0; k < pipeline->config->sink_count; k++)
            if (pipeline_connect_sink(pipeline, pipeline->slots[k], producer,
                                      reload->plan.ring_capacity, error) != 0)
                return -1;
    }
    return 0;
}

/* Creates the new producers. Their listeners accept no connection until the producers start. */
static int create_producers(struct reload *reload, struct error *error)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        if (reload->producers[i] == NULL ||
            pipeline_create_producer(reload->pipeline, reload->producers[i], error) == 0)
            continue;
        error_place(error, reload->to->listeners[i].written_at);
        return -1;
    }
    return 0;
}

static bool is_in_use(const struct reload *reload, const struct sink_config *config)
{
    const struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (pipeline_sinks_meet(pipeline->slots[i]->config, config))
            return true;
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        if (pipeline_sinks_meet(slot->config, config))
            return true;
    return false;
}

/*
 * Checks a sink that will be opened after the reload, because a present sink still uses its
 * destination. If opening it is certain to fail with the rights of --user, refuses the reload, and
 * the present sink continues.
 */
static int check_later(const struct reload *reload, const struct sink_config *config,
                       struct error *error)
{
    struct sink_thread_options options = pipeline_sink_of(reload->to, config);
    options.written = true;
    if (sink_thread_check(&options, error) == 0)
        return 0;
    error_place(error, config->written_at);
    return -1;
}

static int make_sink(struct reload *reload, size_t index, struct error *error)
{
    const struct sink_config *config = &reload->to->sinks[index];
    struct sink_slot *slot =
        pipeline_make_sink(reload->pipeline, reload->to, index, reload->plan.ring_capacity, error);
    reload->slots[index] = slot;
    if (slot == NULL)
        return -1;
    slot->generation = reload->generation;
    reload->generation->slots++;
    if (is_in_use(reload, config))
        return check_later(reload, config, error);
    if (sink_thread_open(slot->sink, error) != 0)
        return -1;
    slot->opened = true;
    return 0;
}

static int make_sinks(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->sink_count; i++) {
        RULE(reload_adds_sink(reload, i) || reload->change.sinks[i] < pipeline->config->sink_count,
             "a kept sink is of the present configuration");
        if (!reload_adds_sink(reload, i))
            reload->slots[i] = pipeline->slots[reload->change.sinks[i]];
        else if (make_sink(reload, i, error) != 0)
            return -1;
    }
    return 0;
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int reload_reserve(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (!producer->claimed || !pipeline_can_quiesce(producer))
            continue;
        if (!fan_out_reserve(producer->fan_out, reload->to->sink_count))
            return error_no_memory(error);
        for (size_t k = 0; k < reload->to->sink_count; k++)
            if (!batch_queue_set_listeners(reload->slots[k]->routes[i].queue, pipeline->known_count,
                                           producer->listeners > 1))
                return error_no_memory(error);
    }
    struct batch_pool_levels now = batch_pool_levels(pipeline->pool);
    if (batch_pool_resize_to(pipeline->pool, larger_size(now.small, reload->plan.small_batches),
                             larger_size(now.large, reload->plan.large_batches),
                             reload->plan.large_batch))
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "cannot allocate %llu MiB (--memory)",
              (unsigned long long)(reload->plan.total >> 20));
    return -1;
}

int reload_prepare(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    if (pipeline_check_config(reload->to, error) != 0 ||
        pipeline_prepare_sources(reload->to, error) != 0 ||
        pipeline_compare(pipeline, reload->to, &reload->change, error) != 0 ||
        reload_allocate(reload, error) != 0)
        return -1;
    if (claim_producers(reload, error) != 0 || plan_memory(reload, error) != 0)
        return -1;
    reload->lists = pipeline_make_schemas(reload->to, error);
    if (reload->lists == NULL)
        return -1;
    pipeline_number_schemas(pipeline, reload->lists, reload->to->listener_count);
    if (pipeline_make_keys(pipeline, reload->to, reload->keys, error) != 0 ||
        pipeline_start_states(pipeline, error) != 0 || reload_make_sources(reload, error) != 0 ||
        make_producers(reload, error) != 0 || pipeline_check_paths(reload->to, error) != 0 ||
        make_sinks(reload, error) != 0 || pipeline_check_paths(reload->to, error) != 0 ||
        reload_reserve(reload, error) != 0)
        return -1;
    return create_producers(reload, error);
}

/* --- starting the parts ----------------------------------------------------------------------- */

static int start_producers(const struct reload *reload, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < reload->to->listener_count && result == 0; i++)
        if (reload->producers[i] != NULL)
            result = reload->producers[i]->ops->start(reload->producers[i]->object, error);
    return result;
}

/*
 * Starts new sinks. A sink that waits for its destination is started later, by pipeline_look_after.
 */
static int start_sinks(const struct reload *reload, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < reload->to->sink_count && result == 0; i++)
        if (reload_adds_sink(reload, i) && reload->slots[i]->opened)
            result = sink_thread_start(reload->slots[i]->sink, error);
    return result;
}

/*
 * Starts sinks last: they start commands and write file headers, which a refused reload must not
 * do.
 */
int reload_start(const struct reload *reload, struct error *error)
{
    RULE(reload->pipeline->quiesced, "new parts start while the producers are paused");
    if (start_producers(reload, error) == 0 && start_sinks(reload, error) == 0)
        return 0;
    for (size_t i = 0; i < reload->to->listener_count; i++)
        if (reload->producers[i] != NULL)
            reload->producers[i]->ops->stop(reload->producers[i]->object, clock_monotonic_ns());
    return -1;
}

/* --- cancelling the parts --------------------------------------------------------------------- */

static void cancel_sources(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        struct source *source = reload->sources[i];
        if (source == NULL || !reload_adds_listener(reload, i))
            continue;
        source->config = NULL;
        source->leaving = true; /* `leaving` stays set until the sockets of the source are closed */
        ledger_cancel_listener(pipeline->ledger, (int)source->listener.index);
    }
}

/*
 * Cancels the new producers. A started producer has no connection yet: it is paused, or has just
 * resumed.
 */
static void cancel_producers(struct reload *reload)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        struct producer *producer = reload->producers[i];
        if (producer == NULL)
            continue;
        if (pipeline_is_live(producer)) {
            producer->ops->stop(producer->object, clock_monotonic_ns());
            producer->ops->resume(producer->object);
        }
        pipeline_vacate_producer(reload->pipeline, producer);
    }
}

static void cancel_sinks(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->sink_count; i++) {
        struct sink_slot *slot = reload->slots[i];
        if (slot == NULL || !reload_adds_sink(reload, i))
            continue;
        for (size_t k = 0; k < slot->route_count; k++)
            batch_queue_close(slot->routes[k].queue);
        sink_thread_stop(slot->sink, clock_monotonic_ns());
        sink_thread_notify(slot->sink);
        sink_thread_join(slot->sink);
        pipeline_cancel_entry(pipeline, slot);
        pipeline_destroy_sink(slot);
        reload->generation->slots--;
    }
    RULE(reload->generation->slots == 0, "all sinks of a cancelled reload are destroyed");
}

void reload_cancel(struct reload *reload)
{
    RULE(reload->pipeline->config != reload->to, "a reload is cancelled before its commit");
    if (reload->producers != NULL)
        cancel_producers(reload);
    if (reload->sources != NULL)
        cancel_sources(reload);
    if (reload->slots != NULL)
        cancel_sinks(reload);
}

void reload_clear(struct reload *reload)
{
    RULE(reload->pipeline->config != reload->to ||
             (reload->sources == NULL && reload->slots == NULL),
         "after the commit the pipeline owns the sources and sinks");
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        if (reload->lists != NULL)
            schema_list_release(reload->lists[i]);
        if (reload->limits != NULL)
            rate_limit_destroy(reload->limits[i]);
        if (reload->keys != NULL)
            sender_keys_release(reload->keys[i]);
    }
    free(reload->lists);
    free(reload->limits);
    free(reload->keys);
    free(reload->sources);
    free(reload->producers);
    free(reload->slots);
    free(reload->routes);
    pipeline_change_clear(&reload->change);
}
