#include "collector/pipeline/pipeline_open.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_events.h"
#include "collector/pipeline/pipeline_keys.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/pipeline/pipeline_paths.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_relays.h"
#include "collector/pipeline/pipeline_sinks.h"
#include "collector/pipeline/pipeline_sources.h"
#include "collector/platform/machine.h"
#include "collector/platform/notifier.h"
#include "collector/platform/process.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/batch_queue.h"
#include "collector/queue/tap.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/ingest_thread.h"
#include "collector/receive/receiver.h"
#include "collector/record/batch.h"
#include "collector/record/schema_guess.h"
#include "collector/record/schema_list.h"
#include "collector/senders/sender_report.h"
#include "collector/senders/sequence.h"
#include "collector/senders/traffic.h"

/* --- making sources, keys and dead letters ---------------------------------------------------- */

static int open_make_sources(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    if (config->schemas != NULL && (pipeline->guess = schema_guess_create(config->schemas)) == NULL)
        return error_no_memory(error);
    pipeline->sources = calloc(config->listener_count, sizeof(struct source *));
    struct schema_list **lists =
        pipeline->sources == NULL ? NULL : pipeline_make_schemas(config, error);
    if (lists == NULL)
        return pipeline->sources == NULL ? error_no_memory(error) : -1;
    pipeline_number_schemas(pipeline, lists, config->listener_count);
    int result = 0;
    for (size_t i = 0; i < config->listener_count; i++) {
        if (result != 0) {
            schema_list_release(lists[i]);
            continue;
        }
        pipeline->sources[i] = pipeline_add_source(pipeline, config, i, lists[i], error);
        if (pipeline->sources[i] == NULL)
            result = -1;
    }
    free(lists);
    return result;
}

static int open_make_keys(struct pipeline *pipeline, struct error *error)
{
    size_t count = pipeline->config->listener_count;
    struct sender_keys **tables = calloc(count, sizeof(struct sender_keys *));
    if (tables == NULL)
        return error_no_memory(error);
    int result = pipeline_make_keys(pipeline, pipeline->config, tables, error);
    for (size_t i = 0; i < count && result == 0; i++)
        pipeline_give_keys(pipeline->sources[i], tables[i]);
    free(tables);
    return result;
}

static int make_dead_letters(struct pipeline *pipeline, struct error *error)
{
    const struct dead_letter_config *config = &pipeline->config->dead_letter;
    if (config->name == NULL)
        return 0;
    if (!ledger_add_dead_letters(pipeline->ledger, config->name))
        return error_no_memory(error);
    struct dead_letter_options options = {
        .name = config->name,
        .path = config->path,
        .max_size = config->max_size,
        .mode = (unsigned)config->mode,
        .rate = config->rate,
        .reserve = pipeline->config->limits.min_free,
        .counters = ledger_dead_letter_block(pipeline->ledger),
        .finished = pipeline_changed,
        .context = pipeline,
    };
    if (options.counters == NULL)
        return error_no_memory(error);
    return dead_letters_create(&pipeline->dead_letters, &options, error);
}

/* --- receivers -------------------------------------------------------------------------------- */

static int start_receiver(void *producer, struct error *error)
{
    return receiver_start(producer, error);
}

static void stop_receiver(void *producer, int64_t deadline_ns)
{
    receiver_stop(producer, deadline_ns);
}

static bool receiver_is_done(const void *producer)
{
    return receiver_has_finished(producer);
}

static void ask_receiver_to_quiesce(void *producer)
{
    receiver_ask_to_quiesce(producer);
}

static bool receiver_is_paused(const void *producer)
{
    return receiver_is_quiescent(producer);
}

static bool receiver_is_resumed(const void *producer)
{
    return receiver_is_awake(producer);
}

static void resume_receiver(void *producer)
{
    receiver_resume(producer);
}

static void join_receiver(void *producer)
{
    receiver_join(producer);
}

static void destroy_receiver(void *producer)
{
    receiver_destroy(producer);
}

static const struct producer_ops receiver_ops = {
    .start = start_receiver,
    .stop = stop_receiver,
    .has_finished = receiver_is_done,
    .ask_to_quiesce = ask_receiver_to_quiesce,
    .is_quiescent = receiver_is_paused,
    .is_awake = receiver_is_resumed,
    .resume = resume_receiver,
    .join = join_receiver,
    .destroy = destroy_receiver,
};

static int make_receivers(struct pipeline *pipeline, struct error *error)
{
    bool counted = pipeline->config->limits.max_datagrams != 0;
    size_t threads = pipeline->receiver_threads;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        producer->claimed = true;
        producer->thread_count = threads;
        if (pipeline_make_producer(pipeline, producer, threads, FAN_OUT_NEVER_WAITS, error) != 0)
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
        producer->ops = &receiver_ops;
        producer->object = producer->receiver;
        pipeline->receivers[i] = producer->receiver;
    }
    pipeline->host = (struct source_host){
        .ledger = pipeline->ledger,
        .receivers = pipeline->receivers,
        .receiver_count = pipeline->receiver_count,
        .notifier = pipeline->notifier->name,
        .received = counted ? pipeline_count_received : NULL,
        .finished = pipeline_changed,
        .context = pipeline,
        .before_receive = pipeline->options.before_receive,
        .hook_context = pipeline->options.hook_context,
    };
    return 0;
}

static int make_shared_parts(struct pipeline *pipeline, struct error *error)
{
    const struct config *config = pipeline->config;
    struct memory_needs needs;
    if (pipeline_count_needs(config, pipeline->notifier, pipeline->options.reserved, &needs,
                             error) != 0)
        return -1;
    if (memory_plan_make(&pipeline->plan, config->limits.memory, &needs, error) != 0)
        return -1;
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0 ||
        wakeup_create(&pipeline->refreshed, error) != 0)
        return -1;
    RULE(needs.fan_outs == 0 || needs.receivers % needs.fan_outs == 0,
         "receivers have the same number of threads");
    pipeline->receiver_count = needs.fan_outs;
    pipeline->receiver_threads = needs.fan_outs == 0 ? 0 : needs.receivers / needs.fan_outs;
    pipeline->producer_count = pipeline->receiver_count;
    pipeline->producers =
        calloc(pipeline->receiver_count + BATCH_QUEUE_LISTENERS, sizeof *pipeline->producers);
    pipeline->receivers = calloc(pipeline->receiver_count + 1, sizeof(struct receiver *));
    pipeline->slots = calloc(config->sink_count, sizeof(struct sink_slot *));
    pipeline->sequences = sequence_table_create(pipeline->plan.senders, secret);
    pipeline->pool = batch_pool_create_sized(
        pipeline->plan.small_batches, pipeline->plan.large_batches, pipeline->plan.large_batch);
    if (pipeline->producers == NULL || pipeline->receivers == NULL || pipeline->slots == NULL ||
        pipeline->sequences == NULL ||
        (pipeline->plan.spread_window != 0 &&
         !sequence_add_spread(pipeline->sequences, pipeline->plan.spread_window)))
        return error_no_memory(error);
    if (pipeline->pool == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "cannot allocate %llu MiB (--memory)",
                  (unsigned long long)(pipeline->plan.total >> 20));
        return -1;
    }
    batch_pool_on_low(pipeline->pool, pipeline_pool_low, pipeline);
    return 0;
}

/* --- opening listeners ------------------------------------------------------------------------ */

/*
 * Claims producers for the sources that have their own threads: with `fixed` for the sources that
 * no reload can change, otherwise for the sources that a reload can change. Must be called with
 * `fixed` first.
 */
static void claim_producers(struct pipeline *pipeline, bool fixed)
{
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        const struct producer_ops *ops = pipeline->config->listeners[i].source->producer;
        if (ops == NULL || (ops->change == NULL) != fixed)
            continue;
        size_t threads = pipeline_threads_of(&pipeline->config->listeners[i]);
        struct producer *producer = pipeline_claim_producer(pipeline, threads);
        RULE(producer != NULL, "the first producers have room: their listeners are counted");
        producer->source = pipeline->sources[i];
    }
}

static int open_own_producers(struct pipeline *pipeline, struct source *source, struct error *error)
{
    struct producer *producer = pipeline_producer_of(pipeline, source, 0);
    if (pipeline_make_own(pipeline, producer, source, error) != 0)
        return -1;
    return pipeline_create_producer(pipeline, producer, error);
}

static int open_listeners(struct pipeline *pipeline, struct error *error)
{
    if (pipeline_prepare_sources(pipeline->config, error) != 0)
        return -1;
    claim_producers(pipeline, true);
    pipeline->fixed_count = pipeline->producer_count;
    claim_producers(pipeline, false);
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        struct source *source = pipeline->sources[i];
        const struct source_ops *ops = source->config->source;
        int result = ops->producer != NULL ? open_own_producers(pipeline, source, error)
                                           : ops->open(source, &pipeline->host, error);
        if (result != 0)
            return -1;
    }
    pipeline_count_listeners(pipeline);
    return 0;
}

/* --- opening sinks ---------------------------------------------------------------------------- */

static int open_sink(struct pipeline *pipeline, size_t index, struct error *error)
{
    struct sink_slot *slot =
        pipeline_make_sink(pipeline, pipeline->config, index, pipeline->plan.ring_capacity, error);
    pipeline->slots[index] = slot;
    if (slot == NULL || sink_thread_open(slot->sink, error) != 0)
        return -1;
    slot->opened = true;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (fan_out_add_sink(pipeline->producers[i].fan_out, &slot->routes[i], error) != 0)
            return -1;
    return 0;
}

/* Makes the spill folders; runs in another process, as --user. */
static int make_spills(const void *context, struct error *error)
{
    const struct config *config = context;
    for (size_t i = 0; i < config->sink_count; i++) {
        struct sink_thread_options options = pipeline_sink_of(config, &config->sinks[i]);
        if (sink_thread_make_spill(&options, error) == 0)
            continue;
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    return 0;
}

/*
 * Makes the spill folders as --user, so that they belong to the account that writes there after
 * root's rights are given up.
 */
static int make_spills_of_user(const struct config *config, struct error *error)
{
    struct error why;
    bool any = false;
    for (size_t i = 0; i < config->sink_count; i++)
        any |= config->sinks[i].settings.delivery.spill != NULL;
    if (config->user == NULL || !any || user_ask(config->user, make_spills, config, &why) == 0)
        return 0;
    error_set(error, why.code, "--user %s: %s", config->user, why.text);
    return -1;
}

/* --- parts for control and metrics ------------------------------------------------------------ */

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
        return error_no_memory(error);
    for (size_t i = 0; i < pipeline->producer_count; i++)
        fan_out_set_tap(pipeline->producers[i].fan_out, tap_inlet(pipeline->tap, i));
    return 0;
}

static int make_sender_report(struct pipeline *pipeline, struct error *error)
{
    uint8_t secret[16];
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    pipeline->senders = sender_report_create(count_threads(pipeline), pipeline->sequences);
    if (pipeline->senders == NULL || !sequence_keep_senders(pipeline->sequences))
        return error_no_memory(error);
    for (size_t i = 0; i < pipeline->known_count; i++)
        if (!sender_report_add_listener(pipeline->senders, &pipeline->known[i]->listener))
            return error_no_memory(error);
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        for (size_t k = 0; k < producer->thread_count; k++) {
            struct ingest_thread *thread = &producer->threads[k];
            thread->traffic = traffic_table_create(secret);
            if (thread->traffic == NULL)
                return error_no_memory(error);
            sender_report_add_table(pipeline->senders, thread->traffic);
        }
    }
    return 0;
}

/*
 * Logs a warning for each kind of socket for which the program did not choose the system's best
 * notifier automatically, because that notifier cannot watch this system's sockets.
 */
static void report_passed_over(const struct config *config)
{
    const struct {
        const struct notifier_backend *const *backends;
        const char *sockets;
        bool automatic;
    } kinds[] = {
        {notifier_backends, "datagrams", config->notifier == NULL},
        {notifier_stream_backends, "connections", true},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct error why;
        const struct notifier_backend *passed =
            kinds[i].automatic ? notifier_passed_over(kinds[i].backends, &why) : NULL;
        if (passed != NULL)
            log_line(LOG_WARNING, "the notifier %s is not used for %s: %s", passed->name,
                     kinds[i].sockets, why.text);
    }
}

/* --- the whole pipeline ----------------------------------------------------------------------- */

int pipeline_open(struct pipeline *pipeline, struct error *error)
{
    report_passed_over(pipeline->config);
    pipeline->notifier = notifier_choose(pipeline->config->notifier, error);
    pipeline->ledger = ledger_create();
    if (pipeline->ledger == NULL)
        return error_no_memory(error);
    if (pipeline->notifier == NULL || pipeline_check_config(pipeline->config, error) != 0 ||
        open_make_sources(pipeline, error) != 0 || make_shared_parts(pipeline, error) != 0 ||
        open_make_keys(pipeline, error) != 0 || make_dead_letters(pipeline, error) != 0 ||
        make_receivers(pipeline, error) != 0 || open_listeners(pipeline, error) != 0 ||
        pipeline_check_relays(pipeline->config, pipeline->sources, error) != 0 ||
        pipeline_check_paths(pipeline->config, error) != 0 ||
        make_spills_of_user(pipeline->config, error) != 0)
        return -1;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (open_sink(pipeline, i, error) != 0)
            return -1;
    if (pipeline->config->threads == THREADS_ONE) {
        RULE(pipeline->receiver_count == 1 && pipeline->config->sink_count == 1,
             "one thread has one receiver and one sink");
        receiver_host_sink(pipeline->producers[0].receiver, pipeline->slots[0]->sink);
    }
    if (pipeline->config->access.control != NULL && make_tap(pipeline, error) != 0)
        return -1;
    if (config_reports_senders(pipeline->config) && make_sender_report(pipeline, error) != 0)
        return -1;
    if (pipeline->dead_letters != NULL && dead_letters_open(pipeline->dead_letters, error) != 0) {
        error_place(error, "--dead-letter");
        return -1;
    }
    /*
     * Checks the paths a second time, because opening may have created files since the first check.
     */
    return pipeline_check_paths(pipeline->config, error);
}
