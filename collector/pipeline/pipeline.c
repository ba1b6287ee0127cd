#include "collector/pipeline/pipeline.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_keys.h"
#include "collector/pipeline/pipeline_left_spills.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_open.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_retired.h"
#include "collector/pipeline/pipeline_sinks.h"
#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/tap.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/dtls_source.h"
#include "collector/receive/receiver.h"
#include "collector/record/batch.h"
#include "collector/record/schema_guess.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sender_keys.h"
#include "collector/senders/sender_report.h"
#include "collector/senders/sequence.h"

/* Longest wait of a snapshot for one receiver to read the kernel's drops. */
#define REFRESH_WAIT_NS INT64_C(200000000)

/* --- starting --------------------------------------------------------------------------------- */

int pipeline_create(struct pipeline **out, const struct pipeline_options *options,
                    struct error *error)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (pipeline == NULL) {
        return error_no_memory(error);
    }
    pipeline->options = *options;
    pipeline->config = options->config;
    pipeline->max_datagrams = options->config->limits.max_datagrams;
    if (pipeline_open(pipeline, error) != 0) {
        pipeline_destroy(pipeline);
        return -1;
    }
    *out = pipeline;
    return 0;
}

static void join_producer(struct producer *producer)
{
    if (pipeline_is_live(producer))
        producer->ops->join(producer->object);
}

/*
 * Ends the started threads. Closes the fan-outs of producers that were not started, so that the
 * sinks end.
 */
static void roll_back_start(struct pipeline *pipeline, size_t started_producers)
{
    pipeline_stop(pipeline, clock_monotonic_ns());
    for (size_t i = started_producers; i < pipeline->producer_count; i++)
        pipeline_close_producer(&pipeline->producers[i]);
    for (size_t i = 0; i < started_producers; i++)
        join_producer(&pipeline->producers[i]);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_join(pipeline->slots[i]->sink);
    if (pipeline->dead_letters != NULL)
        dead_letters_join(pipeline->dead_letters);
}

/*
 * Logs that the listeners are ready. Called only when everything runs, because a program that reads
 * this line may begin to send.
 */
static void log_listeners(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        const struct source_ops *source = pipeline->config->listeners[i].source;
        if (source->announce != NULL)
            source->announce(pipeline->sources[i], &pipeline->host);
    }
}

int pipeline_start(struct pipeline *pipeline, struct error *error)
{
    size_t producers = 0;
    int result = 0;
    for (size_t i = 0; i < pipeline->config->sink_count && result == 0; i++)
        result = sink_thread_start(pipeline->slots[i]->sink, error);
    if (result == 0)
        result = pipeline_start_states(pipeline, error);
    if (result == 0 && pipeline->dead_letters != NULL)
        result = dead_letters_start(pipeline->dead_letters, error);
    while (result == 0 && producers < pipeline->producer_count) {
        const struct producer *producer = &pipeline->producers[producers];
        RULE(pipeline_is_live(producer), "a producer is created before it is started");
        result = producer->ops->start(producer->object, error);
        producers += result == 0;
    }
    if (result != 0)
        roll_back_start(pipeline, producers);
    else
        log_listeners(pipeline);
    return result;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool sinks_have_ended(const struct pipeline *pipeline)
{
    bool left = false;
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        bool ended = sink_thread_has_ended(pipeline->slots[i]->sink);
        if (ended && pipeline->config->sinks[i].on_epipe == ON_EPIPE_STOP)
            return true;
        left = left || !ended;
    }
    return !left;
}

static bool producer_has_finished(const struct producer *producer)
{
    return !pipeline_is_live(producer) || producer->ops->has_finished(producer->object);
}

static bool all_finished(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (!producer_has_finished(&pipeline->producers[i]))
            return false;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!sink_thread_has_finished(pipeline->slots[i]->sink))
            return false;
    return pipeline_is_quiescent(pipeline) &&
           (pipeline->dead_letters == NULL || dead_letters_have_finished(pipeline->dead_letters));
}

enum pipeline_state pipeline_state(struct pipeline *pipeline)
{
    pipeline_look_after(pipeline);
    if (all_finished(pipeline))
        return PIPELINE_FINISHED;
    bool complete = atomic_load(&pipeline->limit_reached) || atomic_load(&pipeline->failed) ||
                    sinks_have_ended(pipeline);
    return complete ? PIPELINE_COMPLETE : PIPELINE_RUNNING;
}

struct address pipeline_address(const struct pipeline *pipeline, size_t listener)
{
    RULE(listener < pipeline->config->listener_count, "the listener is of the configuration");
    return pipeline->sources[listener]->address;
}

const struct memory_plan *pipeline_plan(const struct pipeline *pipeline)
{
    return &pipeline->plan;
}

const char *pipeline_listener_name(const struct pipeline *pipeline, size_t listener)
{
    RULE(listener < pipeline->config->listener_count, "the listener is of the configuration");
    return pipeline->sources[listener]->listener.name;
}

bool pipeline_is_offline(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->config->listener_count; i++)
        if (!pipeline->config->listeners[i].source->ends)
            return false;
    return true;
}

static void pipeline_reopen_files(struct pipeline *pipeline,
                                  void reopen_sink(struct sink_thread *sink))
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (pipeline->slots[i]->opened)
            reopen_sink(pipeline->slots[i]->sink);
    if (pipeline->dead_letters != NULL)
        dead_letters_reopen(pipeline->dead_letters);
}

void pipeline_reopen(struct pipeline *pipeline)
{
    pipeline_reopen_files(pipeline, sink_thread_reopen);
}

void pipeline_reopen_moved(struct pipeline *pipeline)
{
    pipeline_reopen_files(pipeline, sink_thread_reopen_moved);
}

struct tap *pipeline_tap(struct pipeline *pipeline)
{
    return pipeline->tap;
}

struct sender_report *pipeline_senders(struct pipeline *pipeline)
{
    return pipeline->senders;
}

static void refresh_drops(struct pipeline *pipeline, struct producer *producer)
{
    uint64_t request = receiver_refresh(producer->receiver);
    int64_t give_up = clock_monotonic_ns() + REFRESH_WAIT_NS;
    while (!receiver_has_refreshed(producer->receiver, request)) {
        int64_t left_ms = (give_up - clock_monotonic_ns()) / 1000000;
        if (left_ms <= 0)
            return;
        wakeup_wait(pipeline->refreshed, NO_HANDLE, false, (int)left_ms);
    }
}

struct ledger_snapshot *pipeline_glance(const struct pipeline *pipeline)
{
    return ledger_take_snapshot(pipeline->ledger, false);
}

struct ledger_snapshot *pipeline_snapshot(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        refresh_drops(pipeline, &pipeline->producers[i]);
    return pipeline_glance(pipeline);
}

/* --- stopping --------------------------------------------------------------------------------- */

void pipeline_stop(struct pipeline *pipeline, int64_t deadline_ns)
{
    if (!pipeline->stopping || deadline_ns < pipeline->deadline_ns)
        pipeline->deadline_ns = deadline_ns;
    pipeline->stopping = true;
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (pipeline_is_live(producer))
            producer->ops->stop(producer->object, deadline_ns);
    }
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_stop(pipeline->slots[i]->sink, deadline_ns);
    for (struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        sink_thread_stop(slot->sink, deadline_ns);
    if (pipeline->dead_letters != NULL)
        dead_letters_stop(pipeline->dead_letters, deadline_ns);
}

size_t pipeline_connections(const struct pipeline *pipeline)
{
    size_t count = 0;
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (pipeline_is_live(producer) && producer->ops->connections != NULL)
            count += producer->ops->connections(producer->object);
    }
    return count;
}

uint64_t pipeline_completed_files(const struct pipeline *pipeline)
{
    uint64_t count = 0;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        count += counter_read(&pipeline->slots[i]->counters->files);
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        count += counter_read(&slot->counters->files);
    return count;
}

static bool listener_hangs(const struct pipeline *pipeline, const struct source *source)
{
    for (size_t i = 0; i < pipeline_producers_of(source); i++)
        if (!producer_has_finished(pipeline_producer_of(pipeline, source, i)))
            return true;
    return false;
}

/* Checks the listeners first, because a sink waits for the listeners that feed it. */
const char *pipeline_hanging(const struct pipeline *pipeline)
{
    const struct config *config = pipeline->config;
    for (size_t i = 0; i < config->listener_count; i++)
        if (listener_hangs(pipeline, pipeline->sources[i]))
            return config->listeners[i].name;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (pipeline->producers[i].leaving && !producer_has_finished(&pipeline->producers[i]))
            return pipeline->producers[i].source->listener.name;
    for (size_t i = 0; i < config->sink_count; i++)
        if (!sink_thread_has_finished(pipeline->slots[i]->sink))
            return config->sinks[i].name;
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        if (!sink_thread_has_finished(slot->sink))
            return slot->config->name;
    if (pipeline->dead_letters != NULL && !dead_letters_have_finished(pipeline->dead_letters))
        return config->dead_letter.name;
    return NULL;
}

/*
 * Returns the name of any listener of the receiver, because the listener that its thread serves now
 * is not known.
 */
static const char *name_of_receiver(const struct pipeline *pipeline,
                                    const struct producer *receiver)
{
    for (size_t i = 0; i < pipeline->config->listener_count; i++) {
        const struct source *source = pipeline->sources[i];
        for (size_t k = 0; k < pipeline_producers_of(source); k++)
            if (pipeline_producer_of(pipeline, source, k) == receiver)
                return source->listener.name;
    }
    return "a receiver";
}

/*
 * Checks all threads, even after one that is stuck: each thread is compared with its own last
 * check.
 */
const char *pipeline_stuck(struct pipeline *pipeline)
{
    const char *stuck = NULL;
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        if (!receiver_is_alive(pipeline->producers[i].receiver))
            stuck = name_of_receiver(pipeline, &pipeline->producers[i]);
    for (size_t i = pipeline->receiver_count; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (pipeline_is_live(producer) && producer->ops->is_alive != NULL &&
            !producer->ops->is_alive(producer->object))
            stuck = producer->source->listener.name;
    }
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (!sink_thread_is_alive(pipeline->slots[i]->sink))
            stuck = pipeline->slots[i]->config->name;
    for (struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        if (!sink_thread_is_alive(slot->sink))
            stuck = slot->config->name;
    return stuck;
}

/*
 * Does not request the kernel's drops: a receiver that hangs would not answer, and a receiver that
 * has ended has already read them.
 */
struct ledger_snapshot *pipeline_known(const struct pipeline *pipeline)
{
    struct ledger_snapshot *snapshot = ledger_take_snapshot(pipeline->ledger, true);
    if (snapshot != NULL)
        snapshot->incomplete = true;
    return snapshot;
}

struct ledger_snapshot *pipeline_finish(struct pipeline *pipeline)
{
    RULE(!pipeline->quiesced, "producers run until they end");
    for (size_t i = 0; i < pipeline->producer_count; i++)
        join_producer(&pipeline->producers[i]);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        sink_thread_join(pipeline->slots[i]->sink);
    for (struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        sink_thread_join(slot->sink);
    if (pipeline->dead_letters != NULL)
        dead_letters_join(pipeline->dead_letters);
    pipeline_close_states(pipeline);
    sequence_finish(pipeline->sequences, pipeline_count_lost, pipeline);
    return ledger_take_snapshot(pipeline->ledger, true);
}

enum exit_code pipeline_exit_code(const struct pipeline *pipeline,
                                  const struct ledger_snapshot *final)
{
    if (atomic_load(&pipeline->failed))
        return EXIT_CODE_IO;
    for (size_t i = 0; i < final->sink_count; i++)
        if (final->sinks[i].failed[FAILED_IO_ERROR] != 0 ||
            final->sinks[i].failed[FAILED_COMMAND_ENDED] != 0 || final->sinks[i].unnamed_files != 0)
            return EXIT_CODE_IO;
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        const struct producer *producer = &pipeline->producers[i];
        if (pipeline_is_live(producer) && producer->ops->was_damaged != NULL &&
            producer->ops->was_damaged(producer->object))
            return EXIT_CODE_BAD_INPUT;
    }
    return EXIT_CODE_OK;
}

static void destroy_source(struct source *source)
{
    schema_slot_destroy(source->schemas);
    rate_limit_destroy(source->rate_limit);
    dtls_source_release(source);
    sender_keys_release(source->keys);
    free(source->schema_names);
    free(source->hint);
    free(source->name);
    free(source);
}

void pipeline_destroy(struct pipeline *pipeline)
{
    if (pipeline == NULL)
        return;
    for (size_t i = 0; pipeline->producers != NULL && i < pipeline->producer_count; i++)
        pipeline_destroy_producer(&pipeline->producers[i]);
    for (size_t i = 0; pipeline->slots != NULL && i < pipeline->config->sink_count; i++)
        pipeline_destroy_sink(pipeline->slots[i]);
    while (pipeline->retired != NULL) {
        struct sink_slot *slot = pipeline->retired;
        pipeline->retired = slot->next;
        pipeline_destroy_sink(slot);
    }
    dead_letters_destroy(pipeline->dead_letters);
    pipeline_close_states(pipeline);
    for (size_t i = 0; i < pipeline->known_count; i++)
        destroy_source(pipeline->known[i]);
    schema_guess_destroy(pipeline->guess);
    sender_report_destroy(pipeline->senders);
    tap_destroy(pipeline->tap);
    batch_pool_destroy(pipeline->pool);
    sequence_table_destroy(pipeline->sequences);
    ledger_destroy(pipeline->ledger);
    wakeup_destroy(pipeline->refreshed);
    pipeline_free_generations(pipeline, true);
    pipeline_forget_left_spills(pipeline);
    free(pipeline->known);
    free(pipeline->sources);
    free(pipeline->producers);
    free(pipeline->receivers);
    free(pipeline->slots);
    free(pipeline);
}
