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

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

/* A source for the listener of that index in the ledger, perhaps the one that it had before. */
static struct source *find_source(struct pipeline *pipeline, size_t index)
{
    if (index < pipeline->known_count)
        return pipeline->known[index];
    struct source **grown = realloc(pipeline->known, (index + 1) * sizeof(struct source *));
    if (grown == NULL)
        return NULL;
    pipeline->known = grown;
    struct source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return NULL;
    source->listener.index = (uint32_t)index;
    if (pipeline->senders != NULL &&
        !sender_report_add_listener(pipeline->senders, &source->listener)) {
        free(source);
        return NULL;
    }
    pipeline->known[pipeline->known_count++] = source;
    return source;
}

/* Threads count what they find out of a listener that is not theirs, too. */
static bool make_thread_counters(struct pipeline *pipeline, size_t index)
{
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        for (size_t k = 0; k < producer->thread_count; k++) {
            struct intake_counters **place = &producer->threads[k].counters[index];
            if (*place == NULL)
                *place = ledger_intake_block(pipeline->ledger, (int)index);
            if (*place == NULL)
                return false;
        }
    }
    return true;
}

bool pipeline_wants_packets(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].encoder->needs_packets)
            return true;
    return false;
}

void pipeline_set_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *config)
{
    source->config = config;
    source->listener.schema_names = source->schema_names;
    source->listener.max_decoded = config->max_decoded;
    source->listener.senders = config->senders;
    source->listener.rate_limit = source->rate_limit;
    ledger_set_drops_kind(
        pipeline->ledger, (int)source->listener.index,
        (struct drops_kind){.buffers = config->gro, .filtered = config->kernel_filter});
}

/* Everything but its schemas and its limit. */
static bool describe_source(struct pipeline *pipeline, struct source *source,
                            const struct listener_config *config)
{
    if (source->name == NULL)
        source->name = copy_text(config->name);
    if (source->settled == NULL)
        source->settled = ledger_intake_block(pipeline->ledger, (int)source->listener.index);
    /* Records of its former life may be on their way still: their name stays where it is. */
    if (source->listener.name == NULL)
        source->listener.name = source->name;
    source->listener.schemas = source->schemas;
    pipeline_set_source(pipeline, source, config);
    return source->name != NULL && source->settled != NULL &&
           make_thread_counters(pipeline, source->listener.index);
}

/* Gives it what is its own alone; the list is taken over. */
static int fill_source(struct pipeline *pipeline, struct source *source,
                       const struct listener_config *config, struct schema_list *list,
                       struct error *error)
{
    if (source->schemas != NULL) {
        schema_slot_put(source->schemas, list);
    } else if ((source->schemas = schema_slot_create(list)) == NULL) {
        schema_list_release(list);
        return no_memory(error);
    }
    if (pipeline_make_rate_limit(config, &source->rate_limit, error) != 0)
        return -1;
    return describe_source(pipeline, source, config) ? 0 : no_memory(error);
}

struct source *pipeline_add_source(struct pipeline *pipeline, const struct listener_config *config,
                                   struct schema_list *list, struct error *error)
{
    const char *kind = config->kind == LISTENER_UDP ? "udp" : "capture";
    char *names = schema_list_names(list);
    int index =
        names == NULL ? -1 : ledger_add_listener(pipeline->ledger, config->name, kind, names);
    struct source *source = NULL;
    if (index >= BATCH_QUEUE_LISTENERS)
        error_set(error, EXIT_CODE_CONFIG, "more than %d different listeners",
                  BATCH_QUEUE_LISTENERS);
    else if (index < 0 || (source = find_source(pipeline, (size_t)index)) == NULL)
        no_memory(error);
    if (source == NULL) {
        schema_list_release(list);
        free(names);
    } else {
        free(source->schema_names);
        source->schema_names = names;
        if (fill_source(pipeline, source, config, list, error) != 0) {
            source->config = NULL;
            source = NULL;
        }
    }
    if (source == NULL && index >= 0)
        ledger_withdraw_listener(pipeline->ledger, index);
    return source;
}

int pipeline_make_rate_limit(const struct listener_config *config, struct rate_limit **limit,
                             struct error *error)
{
    uint8_t secret[16];
    *limit = NULL;
    if (config->rate_limit == 0)
        return 0;
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    *limit = rate_limit_create(config->rate_limit, secret);
    return *limit == NULL ? no_memory(error) : 0;
}

static int make_sources(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    pipeline->sources = calloc(config->listener_count, sizeof(struct source *));
    struct schema_list **lists =
        pipeline->sources == NULL ? NULL : pipeline_make_schemas(config, error);
    if (lists == NULL)
        return pipeline->sources == NULL ? no_memory(error) : -1;
    int result = 0;
    for (size_t i = 0; i < config->listener_count; i++) {
        if (result != 0) {
            schema_list_release(lists[i]);
            continue;
        }
        pipeline->sources[i] =
            pipeline_add_source(pipeline, &config->listeners[i], lists[i], error);
        if (pipeline->sources[i] == NULL)
            result = -1;
        else
            pipeline->sources[i]->listener.keeps_packets = pipeline_wants_packets(config);
    }
    free(lists);
    return result;
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
    thread->pool = pipeline->pool;
    thread->sequences = pipeline->sequences;
    /* For all that there can ever be: of its pages only those of listeners that there are count. */
    thread->counters = calloc(BATCH_QUEUE_LISTENERS, sizeof(struct intake_counters *));
    thread->measures = ledger_thread_block(pipeline->ledger);
    if (thread->counters == NULL || thread->measures == NULL)
        return no_memory(error);
    for (size_t i = 0; i < pipeline->known_count; i++) {
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
        thread->shares = !lossless && threads == 1;
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
            .refreshed = pipeline_changed,
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
    pipeline->outlets = calloc(config->sink_count, sizeof(struct outlet *));
    pipeline->sequences = sequence_table_create(pipeline->plan.senders, secret);
    pipeline->pool = batch_pool_create(pipeline->plan.small_batches, pipeline->plan.large_batches);
    if (pipeline->producers == NULL || pipeline->outlets == NULL || pipeline->sequences == NULL)
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
static int name_by_port(struct pipeline *pipeline, struct source *source)
{
    static const char scheme[] = "udp://";
    char *name = malloc(sizeof scheme + ADDRESS_TEXT_SIZE);
    if (name == NULL)
        return -1;
    memcpy(name, scheme, sizeof scheme);
    address_format(&source->address, name + strlen(scheme));
    free(source->name);
    source->name = name;
    source->listener.name = name;
    return ledger_rename_listener(pipeline->ledger, (int)source->listener.index, name) ? 0 : -1;
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

struct receiver_socket pipeline_socket_of(const struct source *source)
{
    const struct listener_config *config = source->config;
    return (struct receiver_socket){
        .listener = &source->listener,
        .options = {.address = config->address,
                    .ipv6_only = config->ipv6_only,
                    .share_port = pipeline_sockets_of(config) > 1,
                    .receive_buffer = config->receive_buffer,
                    .max_datagram = config->max_datagram,
                    .tell_destination =
                        source->listener.keeps_packets &&
                        (config->inherited != NULL || address_is_wildcard(&config->address)),
                    .gro = config->gro,
                    .busy_poll_us = (unsigned)((config->busy_poll + 999) / 1000),
                    .only_from = config->kernel_filter ? config->senders : NULL},
        .coalesce_ns = (int64_t)config->coalesce,
    };
}

struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t socket)
{
    return &pipeline->producers[(source->listener.index + socket) % pipeline->receiver_count];
}

/*
 * All sockets of a listener share the port, also one that the system chose for the first of them.
 */
int pipeline_open_udp(struct pipeline *pipeline, struct source *source, struct error *error)
{
    const struct listener_config *config = source->config;
    struct receiver_socket socket = pipeline_socket_of(source);
    if (socket.options.share_port && config->address.port != 0 &&
        probe_port(&socket.options, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline_sockets_of(config); i++) {
        struct producer *producer = pipeline_producer_of(pipeline, source, i);
        socket.counters = ledger_intake_block(pipeline->ledger, (int)source->listener.index);
        if (socket.counters == NULL)
            return no_memory(error);
        pipeline_give_inherited(config, i, &socket.options);
        if (receiver_add_socket(producer->receiver, &socket, &source->address, &source->granted,
                                error) != 0) {
            pipeline_name_inherited(config, error);
            return -1;
        }
        pipeline_tell_inherited(config, &source->address);
        socket.options.address.port = source->address.port;
    }
    if (config->inherited == NULL && config->address.port == 0 &&
        name_by_port(pipeline, source) != 0)
        return no_memory(error);
    return 0;
}

/* Of those that there are now; a capture's has one from its beginning. */
void pipeline_count_listeners(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        pipeline->producers[i].listeners = 0;
    for (size_t i = 0; i < pipeline->known_count; i++) {
        const struct source *source = pipeline->known[i];
        if (source->config == NULL || source->config->kind != LISTENER_UDP)
            continue;
        size_t sockets = pipeline_sockets_of(source->config);
        for (size_t k = 0; k < sockets && k < pipeline->receiver_count; k++)
            pipeline_producer_of(pipeline, source, k)->listeners++;
    }
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
        .listener = &pipeline->sources[index]->listener,
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
    if (pipeline_check_inherited(config, error) != 0)
        return -1;
    size_t next_capture = pipeline->receiver_count;
    for (size_t i = 0; i < config->listener_count; i++) {
        bool capture = config->listeners[i].kind == LISTENER_CAPTURE;
        int result = capture
                         ? open_capture(pipeline, i, &pipeline->producers[next_capture++], error)
                         : pipeline_open_udp(pipeline, pipeline->sources[i], error);
        if (result != 0)
            return -1;
    }
    pipeline_count_listeners(pipeline);
    return 0;
}

/* --- opening sinks ---------------------------------------------------------------------------- */

static int connect(struct pipeline *pipeline, size_t number, struct outlet *outlet, size_t capacity,
                   struct error *error)
{
    const struct producer *producer = &pipeline->producers[number];
    struct feed_sink *way = &outlet->ways[number];
    *way = (struct feed_sink){
        .name = outlet->config->name,
        .sink = outlet->sink,
        .queue = sink_thread_add_queue(outlet->sink, capacity, pipeline->known_count,
                                       producer->listeners > 1),
        .offers = ledger_offer_block(pipeline->ledger, outlet->index),
        .in_flight = &outlet->counters->in_flight,
        .drops_oldest = outlet->config->overflow == OVERFLOW_DROP_OLDEST,
    };
    outlet->way_count++;
    return way->queue == NULL || way->offers == NULL ? no_memory(error) : 0;
}

static int fill_outlet(struct pipeline *pipeline, struct outlet *outlet, size_t capacity,
                       struct error *error)
{
    outlet->ways = calloc(pipeline->producer_count, sizeof *outlet->ways);
    outlet->index = ledger_add_sink(pipeline->ledger, outlet->config->name);
    if (outlet->index >= 0)
        outlet->counters = ledger_sink_block(pipeline->ledger, outlet->index);
    if (outlet->ways == NULL || outlet->counters == NULL)
        return no_memory(error);
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
        no_memory(error);
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

static int open_sink(struct pipeline *pipeline, size_t index, struct error *error)
{
    struct outlet *outlet = pipeline_make_outlet(pipeline, &pipeline->config->sinks[index],
                                                 pipeline->plan.ring_capacity, error);
    pipeline->outlets[index] = outlet;
    if (outlet == NULL || sink_thread_open(outlet->sink, error) != 0)
        return -1;
    outlet->opened = true;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (feed_add_sink(pipeline->producers[i].feed, &outlet->ways[i], error) != 0)
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

static int make_tap(struct pipeline *pipeline, struct error *error)
{
    pipeline->tap = tap_create(pipeline->producer_count);
    if (pipeline->tap == NULL)
        return no_memory(error);
    for (size_t i = 0; i < pipeline->producer_count; i++)
        feed_set_tap(pipeline->producers[i].feed, tap_inlet(pipeline->tap, i));
    return 0;
}

static int make_sender_report(struct pipeline *pipeline, struct error *error)
{
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    pipeline->senders = sender_report_create(count_threads(pipeline), pipeline->sequences);
    if (pipeline->senders == NULL || !sequence_keep_senders(pipeline->sequences))
        return no_memory(error);
    for (size_t i = 0; i < pipeline->known_count; i++)
        if (!sender_report_add_listener(pipeline->senders, &pipeline->known[i]->listener))
            return no_memory(error);
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
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
    pipeline->ledger = ledger_create();
    if (pipeline->ledger == NULL)
        return no_memory(error);
    if (pipeline->notifier == NULL || pipeline_check_config(pipeline->config, error) != 0 ||
        make_sources(pipeline, error) != 0 || make_shared_parts(pipeline, error) != 0 ||
        make_letters(pipeline, error) != 0 || make_receivers(pipeline, error) != 0 ||
        open_listeners(pipeline, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (open_sink(pipeline, i, error) != 0)
            return -1;
    if (pipeline->config->threads == THREADS_ONE)
        receiver_host_sink(pipeline->producers[0].receiver, pipeline->outlets[0]->sink);
    if (pipeline->config->control != NULL && make_tap(pipeline, error) != 0)
        return -1;
    if (config_tells_senders(pipeline->config) && make_sender_report(pipeline, error) != 0)
        return -1;
    return pipeline->letters == NULL ? 0 : dead_letters_open(pipeline->letters, error);
}
