/*
 * Commits a reload: replaces the present parts by the prepared ones while the producers are paused.
 * No step here can fail.
 */
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_keys.h"
#include "collector/pipeline/pipeline_left_spills.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_retired.h"
#include "collector/pipeline/pipeline_room.h"
#include "collector/pipeline/pipeline_sources.h"
#include "collector/pipeline/reload.h"
#include "collector/platform/clock.h"
#include "collector/queue/batch_queue.h"
#include "collector/receive/dtls_source.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"

/* --- listeners -------------------------------------------------------------------------------- */

static void set_rate_limit(struct reload *reload, size_t index)
{
    struct source *source = reload->sources[index];
    const struct config *from = reload->pipeline->config;
    if (from->listeners[reload->change.listeners[index]].rate_limit ==
        reload->to->listeners[index].rate_limit)
        return;
    rate_limit_destroy(source->rate_limit);
    source->rate_limit = reload->limits[index];
    reload->limits[index] = NULL;
}

/* Sets the names in the ledger. If memory is short, the ledger keeps only the old names. */
static void set_schema_names(struct reload *reload, size_t index)
{
    struct source *source = reload->sources[index];
    char *names = schema_list_names(reload->lists[index]);
    if (names == NULL ||
        !ledger_set_schema(reload->pipeline->ledger, (int)source->listener.index, names)) {
        free(names);
        return;
    }
    free(source->schema_names);
    source->schema_names = names;
}

/*
 * Changes the settings of a kept listener. If its kind of source cannot be changed, sets only the
 * schemas, and whether it keeps whole datagrams.
 */
static void switch_listener(struct reload *reload, size_t index)
{
    const struct listener_config *config = &reload->to->listeners[index];
    struct source *source = reload->sources[index];
    bool changes = config->source->no_change == NULL;
    RULE(reload->lists[index] != NULL, "a kept listener gets a new list of schemas");
    if (changes) {
        set_rate_limit(reload, index);
        set_schema_names(reload, index);
        dtls_source_keep(source);
        pipeline_give_keys(source, reload->keys[index]);
        reload->keys[index] = NULL;
    }
    pipeline_put_schemas(reload->pipeline, source, reload->lists[index]);
    reload->lists[index] = NULL;
    if (changes)
        pipeline_set_source(reload->pipeline, source, config);
    pipeline_set_keeps(source, reload->to);
}

/* Calls pipeline_follow_keys for each new table. Must run before any table is replaced. */
static void follow_keys(const struct reload *reload)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct sender_keys *keys =
            reload_adds_listener(reload, i) ? reload->sources[i]->keys : reload->keys[i];
        if (keys != NULL)
            pipeline_follow_keys(reload->pipeline, keys);
    }
}

/*
 * Tells the producer of a removed listener to complete its present work and end, at the latest at
 * the deadline.
 */
static void retire_producer(struct pipeline *pipeline, const struct source *source,
                            int64_t deadline_ns)
{
    struct producer *producer = pipeline_producer_of(pipeline, source, 0);
    RULE(pipeline_is_live(producer) && !producer->leaving, "a producer leaves once");
    producer->leaving = true;
    producer->ops->leave(producer->object, deadline_ns);
}

static void retire_listeners(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    int64_t deadline = clock_monotonic_ns() + (int64_t)reload->to->limits.stop_timeout_ns;
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        struct source *source = pipeline->sources[i];
        if (pipeline_is_kept(reload->change.listeners, reload->to->listener_count, i))
            continue;
        RULE(!source->leaving, "a listener is retired once");
        if (source->config->source->producer != NULL)
            retire_producer(pipeline, source, deadline);
        else
            source->config->source->remove(source, &pipeline->host, true);
        source->config = NULL;
        source->leaving = true;
        ledger_retire_listener(pipeline->ledger, (int)source->listener.index);
    }
}

/* --- sinks ------------------------------------------------------------------------------------ */

/*
 * Sets the sinks to which the producer offers batches. Cannot fail: reload_prepare has reserved the
 * memory.
 */
static void set_routes(struct reload *reload, size_t number)
{
    struct pipeline *pipeline = reload->pipeline;
    struct producer *producer = &pipeline->producers[number];
    struct fan_out_sink *routes = reload->routes;
    for (size_t i = 0; i < reload->to->sink_count; i++) {
        RULE(number < reload->slots[i]->route_count, "a sink has a queue from every producer");
        routes[i] = reload->slots[i]->routes[number];
        batch_queue_set_listeners(routes[i].queue, pipeline->known_count, producer->listeners > 1);
    }
    fan_out_set_sinks(producer->fan_out, routes, reload->to->sink_count);
}

/*
 * If a new sink will take over the spill of `before`, makes `before` leave the spill open when it
 * ends, with its lock and its index in memory.
 */
static void leave_spill_open(const struct reload *reload, const struct sink_slot *before)
{
    for (size_t i = 0; i < reload->to->sink_count; i++)
        if (pipeline_waits_for_spill(reload->slots[i], before))
            sink_thread_leave_spill_open(before->sink);
}

static void retire_sink(struct reload *reload, struct sink_slot *slot, int64_t deadline_ns)
{
    leave_spill_open(reload, slot);
    pipeline_retire_sink(reload->pipeline, slot, deadline_ns);
}

static void begin_sink(struct pipeline *pipeline, struct sink_slot *slot)
{
    slot->successor = pipeline->retired != NULL;
    ledger_begin_sink(pipeline->ledger, slot->index);
}

static void change_sinks(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    int64_t deadline = clock_monotonic_ns() + (int64_t)reload->to->limits.stop_timeout_ns;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (pipeline_pauses(&pipeline->producers[i]))
            set_routes(reload, i);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!pipeline_is_kept(reload->change.sinks, reload->to->sink_count, i))
            retire_sink(reload, pipeline->slots[i], deadline);
    for (size_t i = 0; i < reload->to->sink_count; i++)
        if (reload_adds_sink(reload, i))
            begin_sink(pipeline, reload->slots[i]);
}

/* --- the whole commit ------------------------------------------------------------------------- */

void reload_commit(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    RULE(pipeline->config != reload->to, "a reload is committed once");
    RULE(pipeline->quiesced, "a reload is committed while the producers are paused");
    RULE(reload->generation->config == reload->to, "a reload's generation has its configuration");
    follow_keys(reload);
    for (size_t i = 0; i < reload->to->listener_count; i++)
        if (!reload_adds_listener(reload, i))
            switch_listener(reload, i);
    retire_listeners(reload);
    pipeline_count_listeners(pipeline);
    change_sinks(reload);
    free(pipeline->sources);
    free(pipeline->slots);
    pipeline->sources = reload->sources;
    pipeline->slots = reload->slots;
    reload->sources = NULL;
    reload->slots = NULL;
    pipeline->config = reload->to;
    pipeline_adopt_left_spills(pipeline);
    pipeline->plan = reload->plan;
    pipeline_share_room(pipeline);
}
