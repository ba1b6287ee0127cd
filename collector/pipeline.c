#include "collector/pipeline.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/batch.h"
#include "collector/capture/capture.h"
#include "collector/capture_player.h"
#include "collector/feed.h"
#include "collector/intake.h"
#include "collector/log.h"
#include "collector/memory_plan.h"
#include "collector/random.h"
#include "collector/receiver.h"
#include "collector/sequence.h"
#include "collector/sink_thread.h"
#include "collector/thread.h"

/* How long a snapshot waits for the receivers to read the kernel's drops. */
#define REFRESH_TRIES 200

struct source {
    struct listener listener;
    char *bound_name; /* the listener's name where the system chose the port, else NULL */
    struct schema *schema;
    struct address address;
    struct intake_counters *settled; /* the main thread's: what is found at the end */
};

/* A thread that fills batches: a receiver or the player of a capture. */
struct producer {
    struct intake_thread thread;
    struct receiver *receiver;
    struct capture_player *player;
    size_t listeners; /* that feed it */
};

struct outlet {
    struct sink_thread *sink;
    struct sink_counters *counters;
};

struct pipeline {
    struct pipeline_options options;
    const struct config *config;
    struct memory_plan plan;
    struct ledger *ledger;
    struct batch_pool *pool;
    struct sequence_table *sequences;
    struct wakeup *refreshed;
    struct source *sources; /* by listener */
    struct producer *producers;
    size_t producer_count;
    size_t receiver_count;  /* of the producers, the first ones */
    struct outlet *outlets; /* by sink */
    _Atomic uint64_t received;
    _Atomic bool limit_reached;
    _Atomic bool failed;
};

/* --- what threads tell
 * ---------------------------------------------------------------------------- */

static void changed(void *context)
{
    struct pipeline *pipeline = context;
    if (pipeline->options.notify != NULL)
        pipeline->options.notify(pipeline->options.notify_context);
}

static void socket_failed(void *context)
{
    struct pipeline *pipeline = context;
    atomic_store(&pipeline->failed, true);
    changed(pipeline);
}

static void count_received(void *context, size_t datagrams)
{
    struct pipeline *pipeline = context;
    uint64_t total = atomic_fetch_add(&pipeline->received, datagrams) + datagrams;
    if (total < pipeline->config->max_datagrams || atomic_exchange(&pipeline->limit_reached, true))
        return;
    /* A capture has a next datagram only if it is asked for it. */
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++)
        capture_player_stop(pipeline->producers[i].player, INT64_MAX);
    changed(pipeline);
}

/* --- making the parts
 * ------------------------------------------------------------------------------ */

static int no_memory(struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "out of memory");
    return -1;
}

static void count_needs(const struct config *config, struct memory_needs *needs)
{
    *needs = (struct memory_needs){.sinks = config->sink_count};
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if (listener->kind == LISTENER_CAPTURE) {
            needs->captures++;
            needs->intakes++;
        } else {
            needs->intakes += listener->receivers;
            if (listener->receivers > needs->receivers)
                needs->receivers = listener->receivers;
        }
    }
}

static int make_sources(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    pipeline->sources = calloc(config->listener_count, sizeof *pipeline->sources);
    if (pipeline->sources == NULL)
        return no_memory(error);
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *from = &config->listeners[i];
        struct source *source = &pipeline->sources[i];
        source->schema = from->schema->create();
        if (source->schema == NULL)
            return no_memory(error);
        source->listener = (struct listener){.index = (uint32_t)i,
                                             .name = from->name,
                                             .schema = source->schema,
                                             .max_decoded = from->max_decoded};
    }
    return 0;
}

static int make_producer(struct pipeline *pipeline, struct producer *producer, bool lossless,
                         struct error *error)
{
    struct intake_thread *thread = &producer->thread;
    thread->pool = pipeline->pool;
    thread->sequences = pipeline->sequences;
    thread->lossless = lossless;
    thread->scratch.capacity = INTAKE_SCRATCH_SIZE;
    thread->scratch.base = malloc(INTAKE_SCRATCH_SIZE);
    thread->counters = calloc(pipeline->config->listener_count, sizeof(struct intake_counters *));
    if (thread->scratch.base == NULL || thread->counters == NULL)
        return no_memory(error);
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        thread->counters[i] = ledger_intake_block(pipeline->ledger, (int)i);
        if (thread->counters[i] == NULL)
            return no_memory(error);
    }
    return feed_create(&thread->feed, lossless, error);
}

static int make_receivers(struct pipeline *pipeline, struct error *error)
{
    bool counted = pipeline->config->max_datagrams != 0;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        struct receiver_options options = {
            .thread = &producer->thread,
            .received = counted ? count_received : NULL,
            .finished = changed,
            .failed = socket_failed,
            .context = pipeline,
            .before_receive = pipeline->options.before_receive,
            .hook_context = pipeline->options.hook_context,
        };
        if (make_producer(pipeline, producer, false, error) != 0 ||
            receiver_create(&producer->receiver, &options, error) != 0)
            return -1;
    }
    return 0;
}

static int make_shared_parts(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    struct memory_needs needs;
    count_needs(config, &needs);
    if (memory_plan_make(&pipeline->plan, config->memory, &needs, error) != 0)
        return -1;
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0 ||
        wakeup_create(&pipeline->refreshed, error) != 0)
        return -1;
    pipeline->receiver_count = needs.receivers;
    pipeline->producer_count = needs.receivers + needs.captures;
    pipeline->producers = calloc(pipeline->producer_count, sizeof *pipeline->producers);
    pipeline->outlets = calloc(config->sink_count, sizeof *pipeline->outlets);
    pipeline->ledger = ledger_create();
    pipeline->sequences = sequence_table_create(pipeline->plan.senders, secret);
    pipeline->pool = batch_pool_create(pipeline->plan.small_batches, pipeline->plan.large_batches);
    if (pipeline->producers == NULL || pipeline->outlets == NULL || pipeline->ledger == NULL ||
        pipeline->sequences == NULL || pipeline->pool == NULL)
        return no_memory(error);
    return 0;
}

/* --- opening listeners
 * ----------------------------------------------------------------------------- */

/* Tells where it listens, and how to get the buffer that was asked for where it was not given. */
static void tell_listener(const struct source *source, const struct listener_config *config,
                          size_t granted)
{
    log_line(LOG_INFO, "listening on %s for %s, receive buffer %zu KiB", source->listener.name,
             config->schema->name, granted / 1024);
    if (granted < config->receive_buffer)
        log_line(LOG_WARNING,
                 "%s: receive buffer: asked for %llu KiB, granted %zu KiB; raise %s or run with "
                 "CAP_NET_ADMIN",
                 source->listener.name, (unsigned long long)config->receive_buffer / 1024,
                 granted / 1024, udp_socket_buffer_setting);
}

/* Where the system chose the port, the listener's name tells it. */
static int name_by_port(struct pipeline *pipeline, size_t index)
{
    static const char scheme[] = "udp://";
    struct source *source = &pipeline->sources[index];
    source->bound_name = malloc(sizeof scheme + ADDRESS_TEXT_SIZE);
    if (source->bound_name == NULL)
        return -1;
    memcpy(source->bound_name, scheme, sizeof scheme);
    address_format(&source->address, source->bound_name + strlen(scheme));
    source->listener.name = source->bound_name;
    return ledger_rename_listener(pipeline->ledger, (int)index, source->bound_name) ? 0 : -1;
}

/* All sockets of a listener share the port, also one that the system chose for the first of them.
 */
static int open_udp(struct pipeline *pipeline, size_t index, struct error *error)
{
    const struct listener_config *config = &pipeline->config->listeners[index];
    struct source *source = &pipeline->sources[index];
    struct udp_socket_options options = {
        .address = config->address,
        .ipv6_only = config->ipv6_only,
        .share_port = config->receivers > 1,
        .receive_buffer = config->receive_buffer,
        .max_datagram = config->max_datagram,
    };
    size_t granted = 0;
    for (size_t i = 0; i < config->receivers; i++) {
        struct producer *producer = &pipeline->producers[(index + i) % pipeline->receiver_count];
        if (receiver_add_listener(producer->receiver, &source->listener, &options, &source->address,
                                  &granted, error) != 0)
            return -1;
        options.address.port = source->address.port;
        producer->listeners++;
    }
    if (config->address.port == 0 && name_by_port(pipeline, index) != 0)
        return no_memory(error);
    tell_listener(source, config, granted);
    return 0;
}

static int open_capture(struct pipeline *pipeline, size_t index, struct producer *producer,
                        struct error *error)
{
    const struct listener_config *config = &pipeline->config->listeners[index];
    struct capture_player_options options = {
        .thread = &producer->thread,
        .listener = &pipeline->sources[index].listener,
        .path = config->path,
        .port = (uint16_t)config->port,
        .received = pipeline->config->max_datagrams != 0 ? count_received : NULL,
        .finished = changed,
        .context = pipeline,
    };
    producer->listeners = 1;
    if (make_producer(pipeline, producer, true, error) != 0)
        return -1;
    return capture_player_create(&producer->player, &options, error);
}

static int open_listeners(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    size_t next_capture = pipeline->receiver_count;
    for (size_t i = 0; i < config->listener_count; i++) {
        bool capture = config->listeners[i].kind == LISTENER_CAPTURE;
        int result = capture
                         ? open_capture(pipeline, i, &pipeline->producers[next_capture++], error)
                         : open_udp(pipeline, i, error);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* Before the producers, which take their blocks of the ledger when they are made. */
static int enter_listeners(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if (ledger_add_listener(pipeline->ledger, listener->name,
                                listener->kind == LISTENER_UDP ? "udp" : "capture",
                                listener->schema->name) != (int)i)
            return no_memory(error);
        pipeline->sources[i].settled = ledger_intake_block(pipeline->ledger, (int)i);
        if (pipeline->sources[i].settled == NULL)
            return no_memory(error);
    }
    return 0;
}

/* --- opening sinks
 * --------------------------------------------------------------------------------- */

static int connect(struct pipeline *pipeline, struct producer *producer, size_t index,
                   struct error *error)
{
    struct outlet *outlet = &pipeline->outlets[index];
    struct feed_sink to = {
        .name = pipeline->config->sinks[index].name,
        .sink = outlet->sink,
        .queue = sink_thread_add_queue(outlet->sink, pipeline->plan.ring_capacity,
                                       pipeline->config->listener_count, producer->listeners > 1),
        .offers = ledger_offer_block(pipeline->ledger, (int)index),
        .in_flight = &outlet->counters->in_flight,
    };
    if (to.queue == NULL || to.offers == NULL)
        return no_memory(error);
    return feed_add_sink(producer->thread.feed, &to, error);
}

static int open_sink(struct pipeline *pipeline, size_t index, struct error *error)
{
    const struct sink_config *config = &pipeline->config->sinks[index];
    struct outlet *outlet = &pipeline->outlets[index];
    if (ledger_add_sink(pipeline->ledger, config->name) != (int)index)
        return no_memory(error);
    outlet->counters = ledger_sink_block(pipeline->ledger, (int)index);
    if (outlet->counters == NULL)
        return no_memory(error);
    struct sink_thread_options options = {
        .name = config->name,
        .destination = config->destination,
        .path = config->path,
        .encoder = config->encoder,
        .encoding = config->encoding,
        .counters = outlet->counters,
        .ended = changed,
        .ended_context = pipeline,
        .before_write = pipeline->options.before_write,
        .hook_context = pipeline->options.hook_context,
    };
    if (sink_thread_create(&outlet->sink, &options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (connect(pipeline, &pipeline->producers[i], index, error) != 0)
            return -1;
    return 0;
}

/* --- starting
 * -------------------------------------------------------------------------------------- */

int pipeline_check(const struct config *config, struct error *error)
{
    struct memory_needs needs;
    struct memory_plan plan;
    count_needs(config, &needs);
    if (memory_plan_make(&plan, config->memory, &needs, error) != 0)
        return -1;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        struct capture *capture;
        if (listener->kind != LISTENER_CAPTURE)
            continue;
        if (capture_open(listener->path, 0, &capture, error) != 0)
            return -1;
        capture_close(capture);
    }
    return 0;
}

static int open_all(struct pipeline *pipeline, struct error *error)
{
    if (make_sources(pipeline, error) != 0 || make_shared_parts(pipeline, error) != 0 ||
        enter_listeners(pipeline, error) != 0 || make_receivers(pipeline, error) != 0 ||
        open_listeners(pipeline, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (open_sink(pipeline, i, error) != 0)
            return -1;
    return 0;
}

int pipeline_create(struct pipeline **out, const struct pipeline_options *options,
                    struct error *error)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL)
        return no_memory(error);
    pipeline->options = *options;
    pipeline->config = options->config;
    if (open_all(pipeline, error) != 0) {
        pipeline_destroy(pipeline);
        return -1;
    }
    *out = pipeline;
    return 0;
}

static int start_producer(struct producer *producer, struct error *error)
{
    return producer->receiver != NULL ? receiver_start(producer->receiver, error)
                                      : capture_player_start(producer->player, error);
}

static void join_producer(struct producer *producer)
{
    if (producer->receiver != NULL)
        receiver_join(producer->receiver);
    else
        capture_player_join(producer->player);
}

/* Ends what was started; a producer that was not has its feed closed here, so that sinks end. */
static void take_back_start(struct pipeline *pipeline, size_t started_producers)
{
    pipeline_stop(pipeline, clock_monotonic_ns());
    for (size_t i = started_producers; i < pipeline->producer_count; i++)
        feed_close(pipeline->producers[i].thread.feed);
    for (size_t i = 0; i < started_producers; i++)
        join_producer(&pipeline->producers[i]);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_join(pipeline->outlets[i].sink);
}

int pipeline_start(struct pipeline *pipeline, struct error *error)
{
    size_t producers = 0;
    int result = 0;
    for (size_t i = 0; i < pipeline->config->sink_count && result == 0; i++)
        result = sink_thread_start(pipeline->outlets[i].sink, error);
    while (result == 0 && producers < pipeline->producer_count) {
        result = start_producer(&pipeline->producers[producers], error);
        producers += result == 0;
    }
    if (result != 0)
        take_back_start(pipeline, producers);
    return result;
}

/* --- running
 * --------------------------------------------------------------------------------------- */

static bool all_sinks_ended(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!sink_thread_has_ended(pipeline->outlets[i].sink))
            return false;
    return true;
}

static bool producer_has_finished(const struct producer *producer)
{
    return producer->receiver != NULL ? receiver_has_finished(producer->receiver)
                                      : capture_player_has_finished(producer->player);
}

static bool all_finished(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (!producer_has_finished(&pipeline->producers[i]))
            return false;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!sink_thread_has_finished(pipeline->outlets[i].sink))
            return false;
    return true;
}

enum pipeline_state pipeline_state(const struct pipeline *pipeline)
{
    if (all_finished(pipeline))
        return PIPELINE_FINISHED;
    bool complete = atomic_load(&pipeline->limit_reached) || atomic_load(&pipeline->failed) ||
                    all_sinks_ended(pipeline);
    return complete ? PIPELINE_COMPLETE : PIPELINE_RUNNING;
}

struct address pipeline_address(const struct pipeline *pipeline, size_t listener)
{
    return pipeline->sources[listener].address;
}

bool pipeline_is_offline(const struct pipeline *pipeline)
{
    return pipeline->receiver_count == 0;
}

void pipeline_reopen(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_reopen(pipeline->outlets[i].sink);
}

static void refresh_drops(struct pipeline *pipeline, struct producer *producer)
{
    uint64_t request = receiver_refresh(producer->receiver);
    for (int i = 0; i < REFRESH_TRIES && !receiver_has_refreshed(producer->receiver, request); i++)
        wakeup_wait(pipeline->refreshed, NO_HANDLE, false, 1);
}

struct ledger_snapshot *pipeline_snapshot(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        refresh_drops(pipeline, &pipeline->producers[i]);
    return ledger_take_snapshot(pipeline->ledger, false);
}

/* --- stopping
 * -------------------------------------------------------------------------------------- */

void pipeline_stop(struct pipeline *pipeline, int64_t deadline_ns)
{
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        if (producer->receiver != NULL)
            receiver_stop(producer->receiver, deadline_ns);
        else
            capture_player_stop(producer->player, deadline_ns);
    }
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_stop(pipeline->outlets[i].sink, deadline_ns);
}

static void settle_lost(void *context, uint32_t listener, uint64_t lost)
{
    struct pipeline *pipeline = context;
    counter_add(&pipeline->sources[listener].settled->lost, lost);
}

struct ledger_snapshot *pipeline_finish(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->producer_count; i++)
        join_producer(&pipeline->producers[i]);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_join(pipeline->outlets[i].sink);
    sequence_settle(pipeline->sequences, settle_lost, pipeline);
    return ledger_take_snapshot(pipeline->ledger, true);
}

enum exit_code pipeline_exit_code(const struct pipeline *pipeline,
                                  const struct ledger_snapshot *final)
{
    if (atomic_load(&pipeline->failed))
        return EXIT_CODE_IO;
    for (size_t i = 0; i < final->sink_count; i++)
        if (final->sinks[i].failed[FAILED_IO_ERROR] != 0)
            return EXIT_CODE_IO;
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++)
        if (capture_player_was_damaged(pipeline->producers[i].player))
            return EXIT_CODE_BAD_INPUT;
    return EXIT_CODE_OK;
}

static void destroy_producer(struct producer *producer)
{
    receiver_destroy(producer->receiver);
    capture_player_destroy(producer->player);
    feed_destroy(producer->thread.feed);
    free(producer->thread.counters);
    free(producer->thread.scratch.base);
}

void pipeline_destroy(struct pipeline *pipeline)
{
    if (pipeline == NULL)
        return;
    for (size_t i = 0; pipeline->producers != NULL && i < pipeline->producer_count; i++)
        destroy_producer(&pipeline->producers[i]);
    for (size_t i = 0; pipeline->outlets != NULL && i < pipeline->config->sink_count; i++)
        sink_thread_destroy(pipeline->outlets[i].sink);
    for (size_t i = 0; pipeline->sources != NULL && i < pipeline->config->listener_count; i++) {
        struct source *source = &pipeline->sources[i];
        if (source->schema != NULL)
            source->schema->ops->destroy(source->schema);
        free(source->bound_name);
    }
    batch_pool_destroy(pipeline->pool);
    sequence_table_destroy(pipeline->sequences);
    ledger_destroy(pipeline->ledger);
    wakeup_destroy(pipeline->refreshed);
    free(pipeline->sources);
    free(pipeline->producers);
    free(pipeline->outlets);
    free(pipeline);
}
