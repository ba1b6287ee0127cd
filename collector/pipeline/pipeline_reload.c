/*
 * Another configuration in the place of the present one, while datagrams come.
 *
 * What can fail or takes time comes first, beside what runs: schemas, sinks, memory. Then the
 * receivers stand still for a moment, in which sockets are bound and changed, as the last thing
 * that can fail, and all that they work on is put in place. What is no longer wanted goes on to its
 * own end (pipeline_retired.c).
 */
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/clock.h"
#include "collector/senders/rate_limit.h"

/* How long receivers may take to stand still, and sockets that leave to be gone. */
#define QUIESCE_WAIT_NS INT64_C(2000000000)

/* --- schemas alone ---------------------------------------------------------------------------- */

/* Built-in schemas are the same for ever. */
static bool has_schemas_from_files(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        for (size_t k = 0; k < config->listeners[i].schema_count; k++)
            if (config->listeners[i].schemas[k].from_file)
                return true;
    return false;
}

int pipeline_reload(struct pipeline *pipeline, struct error *error)
{
    struct schema_list **lists = pipeline_make_schemas(pipeline->config, error);
    if (lists == NULL)
        return -1;
    pipeline_number_schemas(pipeline, lists, pipeline->config->listener_count);
    for (size_t i = 0; i < pipeline->config->listener_count; i++)
        pipeline_put_schemas(pipeline, pipeline->sources[i], lists[i]);
    free(lists);
    pipeline_close_windows(pipeline);
    pipeline_reopen(pipeline);
    if (has_schemas_from_files(pipeline->config))
        log_line(LOG_INFO, "schemas read anew");
    return 0;
}

/* --- what is made ready beside what runs ------------------------------------------------------ */

struct reload {
    struct pipeline *pipeline;
    struct config *to;
    struct generation *generation;
    struct change change;
    struct memory_plan plan;
    /* By listener: its schemas and its limit, NULL where they are the source's, or unchanged. */
    struct schema_list **lists;
    struct rate_limit **limits;
    struct source **sources;
    struct producer **producers; /* by listener: its own, of one that comes; else NULL */
    struct sink_slot **slots;    /* by sink */
};

static bool is_new_listener(const struct reload *reload, size_t index)
{
    return reload->change.listeners[index] == PIPELINE_NEW;
}

static bool is_new_sink(const struct reload *reload, size_t index)
{
    return reload->change.sinks[index] == PIPELINE_NEW;
}

/* Those that have threads of their own. */
static void take_places(struct reload *reload)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        if (is_new_listener(reload, i) && config->source->producer != NULL)
            reload->producers[i] =
                pipeline_take_place(reload->pipeline, pipeline_threads_of(config));
    }
}

/* What listeners that stay have taken goes on to be theirs, also where they need less. */
static uint64_t memory_kept(const struct reload *reload)
{
    const struct pipeline *pipeline = reload->pipeline;
    uint64_t kept = 0;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        const struct producer_ops *ops = config->source->producer;
        if (is_new_listener(reload, i) || ops == NULL || ops->memory_after == NULL)
            continue;
        const struct source *source = pipeline->sources[reload->change.listeners[i]];
        const struct producer *producer = pipeline_producer_of(pipeline, source, 0);
        kept += ops->memory_after(producer->object, config) - config->source->memory(config);
    }
    return kept;
}

/* The memory that there is to be: the receiving threads are those that there are. */
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
                  "start takes a new start");
        return -1;
    }
    needs.spread_window = pipeline->plan.spread_window;
    needs.fan_outs = pipeline->receiver_count;
    needs.receivers = pipeline->receiver_count * pipeline->receiver_threads;
    needs.source_memory += memory_kept(reload);
    if (needs.large_batch < batch_pool_large_size(pipeline->pool)) /* they stay as long */
        needs.large_batch = batch_pool_large_size(pipeline->pool);
    needs.producer_threads = 0;
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++)
        needs.producer_threads += pipeline->producers[i].thread_count;
    return memory_plan_make(&reload->plan, reload->to->memory, &needs, error);
}

static int make_room(struct reload *reload, struct error *error)
{
    size_t listeners = reload->to->listener_count;
    reload->limits = calloc(listeners, sizeof(struct rate_limit *));
    reload->sources = calloc(listeners, sizeof(struct source *));
    reload->producers = calloc(listeners, sizeof(struct producer *));
    reload->slots = calloc(reload->to->sink_count, sizeof(struct sink_slot *));
    if (reload->limits == NULL || reload->sources == NULL || reload->producers == NULL ||
        reload->slots == NULL)
        return error_no_memory(error);
    return 0;
}

static int make_sources(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        if (is_new_listener(reload, i)) {
            struct schema_list *list = reload->lists[i];
            reload->lists[i] = NULL;
            reload->sources[i] = pipeline_add_source(pipeline, config, list, error);
            if (reload->sources[i] == NULL)
                return -1;
            reload->sources[i]->listener.keeps_packets = pipeline_wants_packets(reload->to);
            reload->sources[i]->listener.keeps_raw = pipeline_wants_raw(reload->to);
            continue;
        }
        struct source *source = pipeline->sources[reload->change.listeners[i]];
        reload->sources[i] = source;
        if (source->config->rate_limit != config->rate_limit &&
            pipeline_make_rate_limit(config, &reload->limits[i], error) != 0)
            return -1;
    }
    return 0;
}

/* Those of listeners that come, with a way to each sink that there is. */
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

/* They listen; whoever connects waits until they start. */
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

/* Whether a sink that is to go, or has not yet gone, writes where this one is to. */
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
 * It is opened when the one that writes there has ended, and this one with it: where that is certain
 * to fail, with the rights that are left after --user, the reload is refused and the old one goes
 * on.
 */
static int check_later(const struct reload *reload, const struct sink_config *config,
                       struct error *error)
{
    struct sink_thread_options options = pipeline_sink_of(reload->to, config);
    options.file.written = true;
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
        if (!is_new_sink(reload, i))
            reload->slots[i] = pipeline->slots[reload->change.sinks[i]];
        else if (make_sink(reload, i, error) != 0)
            return -1;
    }
    return 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* So that nothing is missing when the change is made. */
static int reserve(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (!producer->taken || !pipeline_can_quiesce(producer))
            continue;
        if (!fan_out_reserve(producer->fan_out, reload->to->sink_count))
            return error_no_memory(error);
        for (size_t k = 0; k < reload->to->sink_count; k++)
            if (!batch_queue_set_listeners(reload->slots[k]->routes[i].queue, pipeline->known_count,
                                           producer->listeners > 1))
                return error_no_memory(error);
    }
    if (batch_pool_resize_to(pipeline->pool,
                             larger(pipeline->plan.small_batches, reload->plan.small_batches),
                             larger(pipeline->plan.large_batches, reload->plan.large_batches),
                             reload->plan.large_batch))
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "--memory: this machine does not give us %llu MiB",
              (unsigned long long)(reload->plan.total >> 20));
    return -1;
}

static int prepare(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    if (pipeline_check_config(reload->to, error) != 0 ||
        pipeline_prepare_sources(reload->to, error) != 0 ||
        pipeline_compare(pipeline, reload->to, &reload->change, error) != 0 ||
        make_room(reload, error) != 0)
        return -1;
    take_places(reload);
    if (plan_memory(reload, error) != 0)
        return -1;
    reload->lists = pipeline_make_schemas(reload->to, error);
    if (reload->lists == NULL)
        return -1;
    pipeline_number_schemas(reload->pipeline, reload->lists, reload->to->listener_count);
    if (make_sources(reload, error) != 0 || make_producers(reload, error) != 0 ||
        pipeline_check_places(reload->to, error) != 0 || make_sinks(reload, error) != 0 ||
        pipeline_check_places(reload->to, error) != 0 || reserve(reload, error) != 0)
        return -1;
    return create_producers(reload, error);
}

/* --- taking it back --------------------------------------------------------------------------- */

static void cancel_sources(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        struct source *source = reload->sources[i];
        if (source == NULL || !is_new_listener(reload, i))
            continue;
        source->config = NULL;
        source->leaving = true; /* as its sockets, where it has any */
        ledger_cancel_listener(pipeline->ledger, (int)source->listener.index);
    }
}

/* Who was started stands still, or has just resumed; nobody was accepted. */
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
        pipeline_vacate(reload->pipeline, producer);
    }
}

/* Nothing was offered to them, and what they opened is closed again. */
static void cancel_sinks(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->sink_count; i++) {
        struct sink_slot *slot = reload->slots[i];
        if (slot == NULL || !is_new_sink(reload, i))
            continue;
        for (size_t k = 0; k < slot->route_count; k++)
            batch_queue_close(slot->routes[k].queue);
        sink_thread_stop(slot->sink, clock_monotonic_ns());
        sink_thread_notify(slot->sink);
        sink_thread_join(slot->sink);
        pipeline_cancel_entry(pipeline, slot);
        pipeline_destroy_sink(slot);
    }
}

static void cancel(struct reload *reload)
{
    if (reload->producers != NULL)
        cancel_producers(reload);
    if (reload->sources != NULL)
        cancel_sources(reload);
    if (reload->slots != NULL)
        cancel_sinks(reload);
    reload->generation->slots = 0;
    free(reload->sources);
    free(reload->slots);
}

/* --- the receivers ---------------------------------------------------------------------------- */

typedef bool receiver_state(const struct receiver *receiver);

/* Waits until it is true of all receivers. */
static bool await_all(struct pipeline *pipeline, receiver_state *is)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    for (size_t i = 0; i < pipeline->receiver_count;) {
        if (is(pipeline->producers[i].receiver)) {
            i++;
            continue;
        }
        int64_t left_ms = (give_up - clock_monotonic_ns()) / 1000000;
        if (left_ms <= 0)
            return false;
        wakeup_wait(pipeline->refreshed, NO_HANDLE, false, (int)left_ms);
    }
    return true;
}

static bool is_own_and_can_quiesce(const struct producer *producer)
{
    return pipeline_is_live(producer) && producer->ops->ask_to_quiesce != NULL;
}

/* Those that have threads of their own and can stand still, too. */
static void resume_producers(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        receiver_resume(pipeline->producers[i].receiver);
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (is_own_and_can_quiesce(producer))
            producer->ops->resume(producer->object);
    }
}

static bool others_are(const struct pipeline *pipeline, bool awake)
{
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        const struct producer_ops *ops = producer->ops;
        if (is_own_and_can_quiesce(producer) &&
            !(awake ? ops->is_awake : ops->is_quiescent)(producer->object))
            return false;
    }
    return true;
}

/* As await_all, for those that are no receivers: until all are awake, or quiescent. */
static bool await_others(struct pipeline *pipeline, bool awake)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    while (!others_are(pipeline, awake)) {
        int64_t left_ms = (give_up - clock_monotonic_ns()) / 1000000;
        if (left_ms <= 0)
            return false;
        wakeup_wait(pipeline->refreshed, NO_HANDLE, false, (int)left_ms);
    }
    return true;
}

static bool quiesce_producers(struct pipeline *pipeline)
{
    if (!await_all(pipeline, receiver_is_awake) || !await_others(pipeline, true))
        return false;
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        receiver_ask_to_quiesce(pipeline->producers[i].receiver);
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (is_own_and_can_quiesce(producer))
            producer->ops->ask_to_quiesce(producer->object);
    }
    if (await_all(pipeline, receiver_is_quiescent) && await_others(pipeline, false))
        return true;
    resume_producers(pipeline);
    return false;
}

static bool has_none_leaving(const struct receiver *receiver)
{
    return !receiver_has_leaving(receiver);
}

/* Whether a listener of that name was taken away, and has not come to its end. */
static bool is_leaving(const struct pipeline *pipeline, const char *name)
{
    for (size_t i = 0; i < pipeline->known_count; i++) {
        const struct source *source = pipeline->known[i];
        if (source->name != NULL && strcmp(source->name, name) == 0 &&
            pipeline_producer_leaves(pipeline, source))
            return true;
    }
    return false;
}

/* A listener that comes again has to have gone, with all its connections. The name of one that has
 * not, or NULL. */
static const char *await_departed(struct pipeline *pipeline, const struct config *to)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    for (size_t i = 0; i < to->listener_count;) {
        if (!is_leaving(pipeline, to->listeners[i].name)) {
            i++;
            continue;
        }
        int64_t left_ms = (give_up - clock_monotonic_ns()) / 1000000;
        if (left_ms <= 0)
            return to->listeners[i].name;
        wakeup_wait(pipeline->refreshed, NO_HANDLE, false, (int)left_ms);
        pipeline_look_after(pipeline);
    }
    return NULL;
}

/* Returns 0, or -1 with `error` filled. A source that no reload changes goes on as it is. */
static int change_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *to, bool keeps_packets, struct error *error)
{
    const struct source_ops *ops = to->source;
    if (ops->no_change != NULL)
        return 0;
    if (ops->producer != NULL)
        return ops->producer->change(pipeline_producer_of(pipeline, source, 0)->object, to, error);
    return ops->change(source, &pipeline->host, to, keeps_packets, error);
}

/* As they were before: of the listeners before `end`. */
static void roll_back_sockets(struct reload *reload, size_t end)
{
    struct pipeline *pipeline = reload->pipeline;
    bool packets = pipeline_wants_packets(pipeline->config);
    for (size_t i = 0; i < end; i++) {
        struct source *source = reload->sources[i];
        struct error ignored;
        if (reload->producers[i] != NULL)
            continue;
        if (is_new_listener(reload, i))
            source->config->source->remove(source, &pipeline->host, false);
        else
            change_source(pipeline, source,
                          &pipeline->config->listeners[reload->change.listeners[i]], packets,
                          &ignored);
    }
}

/* Returns 0, or -1 with `error` filled and all sockets as they were, or leaving. */
static int set_sockets(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    bool packets = pipeline_wants_packets(reload->to);
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        struct source *source = reload->sources[i];
        int result = 0;
        if (reload->producers[i] != NULL)
            continue; /* it listens already */
        if (is_new_listener(reload, i))
            result = config->source->open(source, &pipeline->host, error);
        else
            result = change_source(pipeline, source, config, packets, error);
        if (result == 0)
            continue;
        error_place(error, config->written_at);
        roll_back_sockets(reload, i + 1);
        return -1;
    }
    if (pipeline_check_relays(reload->to, reload->sources, error) == 0)
        return 0;
    roll_back_sockets(reload, reload->to->listener_count);
    return -1;
}

/* They stand still until the others resume. Returns 0, or -1 with `error` filled. */
static int start_producers(const struct reload *reload, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < reload->to->listener_count && result == 0; i++)
        if (reload->producers[i] != NULL)
            result = reload->producers[i]->ops->start(reload->producers[i]->object, error);
    return result;
}

/* One that waits until others have left what it writes to is started then. Returns the same. */
static int start_sinks(const struct reload *reload, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < reload->to->sink_count && result == 0; i++)
        if (is_new_sink(reload, i) && reload->slots[i]->opened)
            result = sink_thread_start(reload->slots[i]->sink, error);
    return result;
}

/*
 * Whoever is new begins, sinks last: they start commands, and write what a file begins with, which
 * nobody shall see of a reload that is refused. Returns the same; the producers have ended then.
 */
static int start_new(const struct reload *reload, struct error *error)
{
    if (start_producers(reload, error) == 0 && start_sinks(reload, error) == 0)
        return 0;
    for (size_t i = 0; i < reload->to->listener_count; i++)
        if (reload->producers[i] != NULL)
            reload->producers[i]->ops->stop(reload->producers[i]->object, clock_monotonic_ns());
    return -1;
}

/* --- the change itself, which cannot fail ----------------------------------------------------- */

static void switch_listeners(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        struct source *source = reload->sources[i];
        if (is_new_listener(reload, i))
            continue;
        if (config->source->no_change != NULL) { /* its thread goes on; nothing else is changed */
            pipeline_put_schemas(pipeline, source, reload->lists[i]);
            reload->lists[i] = NULL;
            source->listener.keeps_packets = pipeline_wants_packets(reload->to);
            source->listener.keeps_raw = pipeline_wants_raw(reload->to);
            continue;
        }
        uint64_t rate = pipeline->config->listeners[reload->change.listeners[i]].rate_limit;
        if (rate != config->rate_limit) {
            rate_limit_destroy(source->rate_limit);
            source->rate_limit = reload->limits[i];
            reload->limits[i] = NULL;
        }
        char *names = schema_list_names(reload->lists[i]);
        if (names != NULL &&
            ledger_set_schema(pipeline->ledger, (int)source->listener.index, names)) {
            free(source->schema_names);
            source->schema_names = names;
        } else {
            free(names); /* the old names go on: that is all that is lost */
        }
        pipeline_put_schemas(pipeline, source, reload->lists[i]);
        reload->lists[i] = NULL;
        pipeline_set_source(pipeline, source, config);
        source->listener.keeps_packets = pipeline_wants_packets(reload->to);
        source->listener.keeps_raw = pipeline_wants_raw(reload->to);
    }
}

static bool is_kept(const size_t *list, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == index)
            return true;
    return false;
}

/* It finishes what it has begun, until the deadline. */
static void retire_producer(struct pipeline *pipeline, const struct source *source,
                            int64_t deadline_ns)
{
    struct producer *producer = pipeline_producer_of(pipeline, source, 0);
    producer->leaving = true;
    producer->ops->leave(producer->object, deadline_ns);
}

static void retire_listeners(struct reload *reload)
{
    struct pipeline *pipeline = reload->pipeline;
    int64_t deadline = clock_monotonic_ns() + (int64_t)reload->to->stop_timeout_ns;
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        struct source *source = pipeline->sources[i];
        if (is_kept(reload->change.listeners, reload->to->listener_count, i))
            continue;
        if (source->config->source->producer != NULL)
            retire_producer(pipeline, source, deadline);
        else
            source->config->source->remove(source, &pipeline->host, true);
        source->config = NULL;
        source->leaving = true;
        ledger_retire_listener(pipeline->ledger, (int)source->listener.index);
    }
}

/* Room for the listeners was made before: that cannot fail. */
static void set_routes(struct reload *reload, size_t number, struct fan_out_sink *routes)
{
    struct pipeline *pipeline = reload->pipeline;
    struct producer *producer = &pipeline->producers[number];
    for (size_t i = 0; i < reload->to->sink_count; i++) {
        routes[i] = reload->slots[i]->routes[number];
        batch_queue_set_listeners(routes[i].queue, pipeline->known_count, producer->listeners > 1);
        batch_queue_set_capacity(routes[i].queue, reload->plan.ring_capacity);
    }
    fan_out_set_sinks(producer->fan_out, routes, reload->to->sink_count);
}

/* Who is to have its spill gets it as it is: open, with its lock and what is known of it. */
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

static void change_sinks(struct reload *reload, struct fan_out_sink *routes)
{
    struct pipeline *pipeline = reload->pipeline;
    int64_t deadline = clock_monotonic_ns() + (int64_t)reload->to->stop_timeout_ns;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (pipeline_is_live(&pipeline->producers[i]) &&
            pipeline_can_quiesce(&pipeline->producers[i]))
            set_routes(reload, i, routes);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!is_kept(reload->change.sinks, reload->to->sink_count, i))
            retire_sink(reload, pipeline->slots[i], deadline);
    for (size_t i = 0; i < reload->to->sink_count; i++)
        if (is_new_sink(reload, i))
            ledger_begin_sink(pipeline->ledger, reload->slots[i]->index);
}

static void commit(struct reload *reload, struct fan_out_sink *routes)
{
    struct pipeline *pipeline = reload->pipeline;
    switch_listeners(reload);
    retire_listeners(reload);
    pipeline_count_listeners(pipeline);
    change_sinks(reload, routes);
    free(pipeline->sources);
    free(pipeline->slots);
    pipeline->sources = reload->sources;
    pipeline->slots = reload->slots;
    pipeline->config = reload->to;
    pipeline_take_left_spills(pipeline);
    pipeline->plan = reload->plan;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void log_outcome(const struct reload *reload, size_t listeners_before, size_t sinks_before)
{
    size_t new_listeners = 0, new_sinks = 0;
    const struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->listener_count; i++)
        new_listeners += is_new_listener(reload, i);
    for (size_t i = 0; i < reload->to->sink_count; i++)
        new_sinks += is_new_sink(reload, i);
    size_t kept_listeners = reload->to->listener_count - new_listeners;
    size_t kept_sinks = reload->to->sink_count - new_sinks;
    if (reload->to->file != NULL)
        log_line(
            LOG_INFO,
            "the configuration was read anew: listeners: %zu stay, %zu come, %zu go; sinks: %zu "
            "stay, %zu come, %zu go",
            kept_listeners, new_listeners, listeners_before - kept_listeners, kept_sinks, new_sinks,
            sinks_before - kept_sinks);
    if (has_schemas_from_files(reload->to))
        log_line(LOG_INFO, "schemas read anew");
    for (size_t i = 0; i < reload->to->listener_count; i++)
        if (is_new_listener(reload, i))
            reload->to->listeners[i].source->announce(reload->sources[i], &pipeline->host);
}

/* A sink that has just come has nothing to open anew. */
static void reopen_kept(const struct reload *reload)
{
    const struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < reload->to->sink_count; i++)
        if (!is_new_sink(reload, i) && reload->slots[i]->opened)
            sink_thread_reopen(reload->slots[i]->sink);
    if (pipeline->letters != NULL)
        dead_letters_reopen(pipeline->letters);
}

/* While the receivers stand still. */
static int change(struct reload *reload, struct fan_out_sink *routes, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        receiver_forget_gone(pipeline->producers[i].receiver);
        receiver_seal_all(pipeline->producers[i].receiver);
    }
    if (set_sockets(reload, error) != 0)
        return -1;
    if (start_new(reload, error) != 0) {
        roll_back_sockets(reload, reload->to->listener_count);
        return -1;
    }
    commit(reload, routes);
    return 0;
}

static int quiesce_and_change(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    struct fan_out_sink *routes = calloc(reload->to->sink_count, sizeof *routes);
    if (routes == NULL)
        return error_no_memory(error);
    int result = -1;
    if (quiesce_producers(pipeline)) {
        result = change(reload, routes, error);
        resume_producers(pipeline);
    } else {
        error_set(error, EXIT_CODE_INTERNAL, "a receiver does not come to a rest");
    }
    free(routes);
    return result;
}

static void clear(struct reload *reload)
{
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        if (reload->lists != NULL)
            schema_list_release(reload->lists[i]);
        if (reload->limits != NULL)
            rate_limit_destroy(reload->limits[i]);
    }
    free(reload->lists);
    free(reload->limits);
    free(reload->producers);
    pipeline_change_clear(&reload->change);
}

/* It is freed when nobody uses it, also where nothing comes of it but sockets that have to leave.
 */
static struct generation *hold(struct pipeline *pipeline, struct config *config)
{
    struct generation *generation = calloc(1, sizeof *generation);
    if (generation == NULL) {
        config_free(config);
        free(config);
        return NULL;
    }
    generation->config = config;
    generation->next = pipeline->generations;
    pipeline->generations = generation;
    return generation;
}

int pipeline_take_config(struct pipeline *pipeline, struct config *config, struct error *error)
{
    bool quiescent = await_all(pipeline, has_none_leaving);
    const char *unfinished = await_departed(pipeline, config);
    pipeline_look_after(pipeline);
    struct reload reload = {
        .pipeline = pipeline, .to = config, .generation = hold(pipeline, config)};
    size_t listeners_before = pipeline->config->listener_count;
    size_t sinks_before = pipeline->config->sink_count;
    if (reload.generation == NULL)
        return error_no_memory(error);
    if (!quiescent) {
        error_set(error, EXIT_CODE_INTERNAL, "listeners of the last reload are not gone yet");
        return -1;
    }
    if (unfinished != NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: its connections of before are not finished yet",
                  unfinished);
        return -1;
    }
    int result = prepare(&reload, error);
    if (result == 0)
        result = quiesce_and_change(&reload, error);
    if (result == 0) {
        pipeline_close_windows(pipeline);
        reopen_kept(&reload);
        log_outcome(&reload, listeners_before, sinks_before);
    } else {
        cancel(&reload);
    }
    clear(&reload);
    pipeline_give_back_batches(pipeline);
    pipeline_look_after(pipeline);
    return result;
}
