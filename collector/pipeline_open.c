#include <stdlib.h>
#include <string.h>

#include "collector/pipeline_parts.h"
#include "collector/random.h"
#include "collector/rate_limit.h"

/* --- making the parts ------------------------------------------------------------------------- */

static int no_memory(struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "out of memory");
    return -1;
}

/* Takes over the reference. */
static int give_schemas(struct source *source, struct schema_list *list, struct error *error)
{
    source->schema_names = schema_list_names(list);
    source->schemas = schema_slot_create(list);
    if (source->schemas == NULL)
        schema_list_release(list);
    return source->schema_names == NULL || source->schemas == NULL ? no_memory(error) : 0;
}

static int make_schemas(struct pipeline *pipeline, struct error *error)
{
    struct schema_list **lists = pipeline_make_schemas(pipeline->config, error);
    if (lists == NULL)
        return -1;
    int result = 0;
    for (size_t i = 0; i < pipeline->config->listener_count; i++)
        if (give_schemas(&pipeline->sources[i], lists[i], error) != 0)
            result = -1;
    free(lists);
    return result;
}

static bool packets_are_wanted(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].encoder->needs_packets)
            return true;
    return false;
}

static int make_sources(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    bool keeps_packets = packets_are_wanted(config);
    pipeline->sources = calloc(config->listener_count, sizeof *pipeline->sources);
    if (pipeline->sources == NULL)
        return no_memory(error);
    if (make_schemas(pipeline, error) != 0)
        return -1;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *from = &config->listeners[i];
        struct source *source = &pipeline->sources[i];
        source->listener = (struct listener){.index = (uint32_t)i,
                                             .name = from->name,
                                             .schemas = source->schemas,
                                             .schema_names = source->schema_names,
                                             .max_decoded = from->max_decoded,
                                             .senders = from->senders,
                                             .keeps_packets = keeps_packets};
    }
    return 0;
}

static int make_rate_limits(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    uint8_t secret[16];
    for (size_t i = 0; i < config->listener_count; i++) {
        struct source *source = &pipeline->sources[i];
        if (config->listeners[i].rate_limit == 0)
            continue;
        if (random_bytes(secret, sizeof secret, error) != 0)
            return -1;
        source->rate_limit = rate_limit_create(config->listeners[i].rate_limit, secret);
        if (source->rate_limit == NULL)
            return no_memory(error);
        source->listener.rate_limit = source->rate_limit;
    }
    return 0;
}

static int make_letters(struct pipeline *pipeline, struct error *error)
{
    const struct dead_letter_config *config = &pipeline->config->dead_letter;
    if (config->name == NULL)
        return 0;
    if (!ledger_add_letters(pipeline->ledger, config->name))
        return no_memory(error);
    struct dead_letter_options options = {
        .name = config->name,
        .path = config->path,
        .max_size = config->max_size,
        .rate = config->rate,
        .counters = ledger_letter_block(pipeline->ledger),
        .finished = pipeline_changed,
        .context = pipeline,
    };
    if (options.counters == NULL)
        return no_memory(error);
    return dead_letters_create(&pipeline->letters, &options, error);
}

static int add_letter_queue(struct pipeline *pipeline, struct intake_thread *thread,
                            struct error *error)
{
    if (pipeline->letters == NULL)
        return 0;
    struct letter_counters *counters = ledger_letter_block(pipeline->ledger);
    if (counters != NULL)
        thread->letters = dead_letters_add_queue(pipeline->letters, counters);
    return thread->letters == NULL ? no_memory(error) : 0;
}

static int make_intake_thread(struct pipeline *pipeline, struct intake_thread *thread,
                              struct error *error)
{
    size_t listeners = pipeline->config->listener_count;
    thread->pool = pipeline->pool;
    thread->sequences = pipeline->sequences;
    thread->counters = calloc(listeners, sizeof(struct intake_counters *));
    if (thread->counters == NULL)
        return no_memory(error);
    for (size_t i = 0; i < listeners; i++) {
        thread->counters[i] = ledger_intake_block(pipeline->ledger, (int)i);
        if (thread->counters[i] == NULL)
            return no_memory(error);
    }
    return add_letter_queue(pipeline, thread, error);
}

static int make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                         bool lossless, struct error *error)
{
    producer->threads = calloc(threads, sizeof *producer->threads);
    if (producer->threads == NULL)
        return no_memory(error);
    producer->thread_count = threads;
    if (feed_create(&producer->feed, threads, lossless, error) != 0)
        return -1;
    for (size_t i = 0; i < threads; i++) {
        struct intake_thread *thread = &producer->threads[i];
        thread->feed = producer->feed;
        thread->lossless = lossless;
        if (make_intake_thread(pipeline, thread, error) != 0)
            return -1;
    }
    return 0;
}

static int make_receivers(struct pipeline *pipeline, struct error *error)
{
    bool counted = pipeline->config->max_datagrams != 0;
    size_t threads = pipeline->receiver_threads;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        if (make_producer(pipeline, producer, threads, false, error) != 0)
            return -1;
        struct receiver_options options = {
            .notifier = pipeline->notifier,
            .threads = producer->threads,
            .thread_count = threads,
            .processors = &pipeline->config->receiver_cpus,
            .first_processor = i * threads,
            .received = counted ? pipeline_count_received : NULL,
            .finished = pipeline_changed,
            .refreshed = pipeline_refreshed,
            .failed = pipeline_socket_failed,
            .context = pipeline,
            .before_receive = pipeline->options.before_receive,
            .hook_context = pipeline->options.hook_context,
        };
        if (receiver_create(&producer->receiver, &options, error) != 0)
            return -1;
    }
    return 0;
}

static int make_shared_parts(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    struct memory_needs needs;
    pipeline_count_needs(config, pipeline->notifier, &needs);
    if (memory_plan_make(&pipeline->plan, config->memory, &needs, error) != 0)
        return -1;
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0 ||
        wakeup_create(&pipeline->refreshed, error) != 0)
        return -1;
    pipeline->receiver_count = needs.receiver_feeds;
    pipeline->receiver_threads =
        needs.receiver_feeds == 0 ? 0 : needs.receivers / needs.receiver_feeds;
    pipeline->producer_count = pipeline->receiver_count + needs.captures;
    pipeline->producers = calloc(pipeline->producer_count, sizeof *pipeline->producers);
    pipeline->outlets = calloc(config->sink_count, sizeof *pipeline->outlets);
    pipeline->ledger = ledger_create();
    pipeline->sequences = sequence_table_create(pipeline->plan.senders, secret);
    pipeline->pool = batch_pool_create(pipeline->plan.small_batches, pipeline->plan.large_batches);
    if (pipeline->producers == NULL || pipeline->outlets == NULL || pipeline->ledger == NULL ||
        pipeline->sequences == NULL)
        return no_memory(error);
    if (pipeline->pool == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "--memory: this machine does not give us %llu MiB",
                  (unsigned long long)(pipeline->plan.total >> 20));
        return -1;
    }
    return 0;
}

/* --- opening listeners ------------------------------------------------------------------------ */

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

/*
 * A port that may be shared would also be shared with another process of the same user, and each
 * would get a part of the datagrams: whether it is free is asked by a socket that shares nothing.
 */
static int probe_port(const struct udp_socket_options *shared, struct error *error)
{
    struct udp_socket_options options = *shared;
    struct udp_socket *probe;
    options.share_port = false;
    if (udp_socket_open(&probe, &options, error) != 0)
        return -1;
    int result = udp_socket_bind(probe, error);
    udp_socket_close(probe);
    return result;
}

/* All sockets of a listener share the port, also one that the system chose for the first of them.
 */
static int open_udp(struct pipeline *pipeline, size_t index, struct error *error)
{
    const struct listener_config *config = &pipeline->config->listeners[index];
    struct source *source = &pipeline->sources[index];
    struct receiver_socket socket = {
        .listener = &source->listener,
        .options = {.address = config->address,
                    .ipv6_only = config->ipv6_only,
                    .share_port = pipeline_sockets_of(config) > 1,
                    .receive_buffer = config->receive_buffer,
                    .max_datagram = config->max_datagram,
                    .tell_destination =
                        source->listener.keeps_packets && address_is_wildcard(&config->address),
                    .gro = config->gro,
                    .busy_poll_us = (unsigned)((config->busy_poll + 999) / 1000),
                    .only_from = config->kernel_filter ? config->senders : NULL},
        .coalesce_ns = (int64_t)config->coalesce,
    };
    if (socket.options.share_port && config->address.port != 0 &&
        probe_port(&socket.options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline_sockets_of(config); i++) {
        struct producer *producer = &pipeline->producers[(index + i) % pipeline->receiver_count];
        socket.counters = ledger_intake_block(pipeline->ledger, (int)index);
        if (socket.counters == NULL)
            return no_memory(error);
        if (receiver_add_socket(producer->receiver, &socket, &source->address, &source->granted,
                                error) != 0)
            return -1;
        socket.options.address.port = source->address.port;
        producer->listeners++;
    }
    if (config->address.port == 0 && name_by_port(pipeline, index) != 0)
        return no_memory(error);
    return 0;
}

static int open_capture(struct pipeline *pipeline, size_t index, struct producer *producer,
                        struct error *error)
{
    const struct listener_config *config = &pipeline->config->listeners[index];
    producer->listeners = 1;
    if (make_producer(pipeline, producer, 1, true, error) != 0)
        return -1;
    struct capture_player_options options = {
        .thread = producer->threads,
        .listener = &pipeline->sources[index].listener,
        .path = config->path,
        .port = (uint16_t)config->port,
        .received = pipeline->config->max_datagrams != 0 ? pipeline_count_received : NULL,
        .finished = pipeline_changed,
        .context = pipeline,
    };
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
                                pipeline->sources[i].schema_names) != (int)i)
            return no_memory(error);
        ledger_set_drops_kind(
            pipeline->ledger, (int)i,
            (struct drops_kind){.buffers = listener->gro, .filtered = listener->kernel_filter});
        pipeline->sources[i].settled = ledger_intake_block(pipeline->ledger, (int)i);
        if (pipeline->sources[i].settled == NULL)
            return no_memory(error);
    }
    return 0;
}

/* --- opening sinks ---------------------------------------------------------------------------- */

static int connect(struct pipeline *pipeline, struct producer *producer, size_t index,
                   struct error *error)
{
    const struct sink_config *config = &pipeline->config->sinks[index];
    struct outlet *outlet = &pipeline->outlets[index];
    struct feed_sink to = {
        .name = config->name,
        .sink = outlet->sink,
        .queue = sink_thread_add_queue(outlet->sink, pipeline->plan.ring_capacity,
                                       pipeline->config->listener_count, producer->listeners > 1),
        .offers = ledger_offer_block(pipeline->ledger, (int)index),
        .in_flight = &outlet->counters->in_flight,
        .drops_oldest = config->overflow == OVERFLOW_DROP_OLDEST,
    };
    if (to.queue == NULL || to.offers == NULL)
        return no_memory(error);
    return feed_add_sink(producer->feed, &to, error);
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
    struct sink_thread_options options = pipeline_sink_options(config);
    options.counters = outlet->counters;
    options.ended = pipeline_changed;
    options.ended_context = pipeline;
    options.before_write = pipeline->options.before_write;
    options.hook_context = pipeline->options.hook_context;
    if (sink_thread_create(&outlet->sink, &options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (connect(pipeline, &pipeline->producers[i], index, error) != 0)
            return -1;
    return 0;
}

/* --- for who asks and watches ----------------------------------------------------------------- */

static size_t count_threads(const struct pipeline *pipeline)
{
    size_t threads = 0;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        threads += pipeline->producers[i].thread_count;
    return threads;
}

static int make_control_parts(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    pipeline->tap = tap_create(pipeline->producer_count);
    pipeline->senders =
        sender_report_create(count_threads(pipeline), config->listener_count, pipeline->sequences);
    if (pipeline->tap == NULL || pipeline->senders == NULL ||
        !sequence_keep_senders(pipeline->sequences))
        return no_memory(error);
    for (size_t i = 0; i < config->listener_count; i++)
        sender_report_add_listener(pipeline->senders, &pipeline->sources[i].listener);
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        feed_set_tap(producer->feed, tap_inlet(pipeline->tap, i));
        for (size_t k = 0; k < producer->thread_count; k++) {
            struct intake_thread *thread = &producer->threads[k];
            thread->traffic = traffic_table_create(secret);
            if (thread->traffic == NULL)
                return no_memory(error);
            sender_report_add_table(pipeline->senders, thread->traffic);
        }
    }
    return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

int pipeline_open(struct pipeline *pipeline, struct error *error)
{
    pipeline->notifier = notifier_choose(pipeline->config->notifier, error);
    if (pipeline->notifier == NULL || pipeline_check_config(pipeline->config, error) != 0 ||
        make_sources(pipeline, error) != 0 || make_shared_parts(pipeline, error) != 0 ||
        make_rate_limits(pipeline, error) != 0 || enter_listeners(pipeline, error) != 0 ||
        make_letters(pipeline, error) != 0 || make_receivers(pipeline, error) != 0 ||
        open_listeners(pipeline, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (open_sink(pipeline, i, error) != 0)
            return -1;
    if (pipeline->config->threads == THREADS_ONE)
        receiver_host_sink(pipeline->producers[0].receiver, pipeline->outlets[0].sink);
    if (pipeline->config->control != NULL && make_control_parts(pipeline, error) != 0)
        return -1;
    return pipeline->letters == NULL ? 0 : dead_letters_open(pipeline->letters, error);
}
