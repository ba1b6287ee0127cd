#include "collector/pipeline/pipeline_levels.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_left_spills.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/receive/receiver.h"
#include "collector/record/batch.h"
#include "collector/text/copy.h"

static void add_listener(struct pipeline_levels *levels, const struct listener_config *config,
                         const struct source *source)
{
    if (pipeline_sockets_of(config) == 0)
        return;
    levels->listeners[levels->listener_count++] = (struct listener_level){
        .name = source->listener.name,
        .sockets = pipeline_sockets_of(config),
        .buffer_asked = (size_t)config->receive_buffer,
        .buffer_granted = (size_t)source->granted,
        .group_lost = atomic_load(&source->group_lost),
    };
}

static void add_stream(struct pipeline_levels *levels, const struct pipeline *pipeline,
                       const struct source *source)
{
    const struct producer_ops *ops = source->config->source->producer;
    if (ops == NULL || ops->connections == NULL)
        return;
    levels->streams[levels->stream_count++] = (struct stream_level){
        .name = source->listener.name,
        .open = ops->connections(pipeline_producer_of(pipeline, source, 0)->object),
        .open_most = source->config->max_connections,
    };
}

/* Returns the earlier of two times; 0 means no time. */
static int64_t earlier(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static void levels_add_sink(struct pipeline_levels *levels, const char *name,
                            const struct sink_slot *slot)
{
    const struct sink_thread *sink = slot->sink;
    struct sink_condition condition = sink_thread_condition(sink);
    struct queue_levels queue = sink_thread_queue_levels(sink);
    struct sink_level *level = levels->sinks;
    while (level != levels->sinks + levels->sink_count && strcmp(level->name, name) != 0)
        level++;
    levels->sink_count += level == levels->sinks + levels->sink_count;
    level->name = name;
    if (level->reason[0] == '\0')
        sink_thread_copy_reason(sink, level->reason);
    struct sink_past past;
    sink_thread_copy_past(sink, &past);
    if (past.until_ns > level->past.until_ns)
        level->past = past;
    level->condition.ended |= condition.ended;
    level->condition.waits_since_ns =
        earlier(level->condition.waits_since_ns, condition.waits_since_ns);
    level->condition.fails_since_ns =
        earlier(level->condition.fails_since_ns, condition.fails_since_ns);
    level->condition.fails_since_ns = earlier(level->condition.fails_since_ns, slot->unopened_ns);
    level->condition.oldest_ns = earlier(level->condition.oldest_ns, condition.oldest_ns);
    level->condition.spill_bytes += condition.spill_bytes;
    level->condition.spill_size += condition.spill_size;
    level->condition.spill_kept += condition.spill_kept;
    level->condition.spill_full_ns =
        earlier(level->condition.spill_full_ns, condition.spill_full_ns);
    sink_thread_add_figures(sink, &level->figures);
    if (!level->limited)
        level->limited = sink_thread_read_series(sink, &level->series);
    level->queue.batches += queue.batches;
    level->queue.batches_most += queue.batches_most;
    level->queue.large += queue.large;
    level->queue.large_most += queue.large_most;
    level->queue.fill = queue.fill > level->queue.fill ? queue.fill : level->queue.fill;
}

/* Moves the texts to `to` and returns their size; if `to` is NULL, only returns the size. */
static size_t move_texts(struct pipeline_levels *levels, char *to)
{
    size_t size = 0;
    for (size_t i = 0; i < levels->listener_count; i++)
        size += text_move(&levels->listeners[i].name, to, size);
    for (size_t i = 0; i < levels->stream_count; i++)
        size += text_move(&levels->streams[i].name, to, size);
    for (size_t i = 0; i < levels->sink_count; i++)
        size += text_move(&levels->sinks[i].name, to, size);
    for (size_t i = 0; i < levels->left_count; i++)
        size += text_move(&levels->left[i].name, to, size);
    return size;
}

static bool keep_texts(struct pipeline_levels *levels)
{
    levels->texts = malloc(move_texts(levels, NULL) + 1); /* + 1: malloc(0) may return NULL */
    if (levels->texts == NULL)
        return false;
    move_texts(levels, levels->texts);
    return true;
}

struct pipeline_levels *pipeline_read_levels(const struct pipeline *pipeline)
{
    const struct config *config = pipeline->config;
    struct pipeline_levels *levels = calloc(1, sizeof *levels);
    if (levels == NULL)
        return NULL;
    levels->listeners = calloc(config->listener_count + 1, sizeof *levels->listeners);
    levels->streams = calloc(config->listener_count + 1, sizeof *levels->streams);
    levels->sinks = calloc(config->sink_count + 1, sizeof *levels->sinks);
    levels->left = calloc(pipeline_left_spills(pipeline, NULL) + 1, sizeof *levels->left);
    if (levels->listeners == NULL || levels->streams == NULL || levels->sinks == NULL ||
        levels->left == NULL) {
        pipeline_levels_free(levels);
        return NULL;
    }
    for (size_t i = 0; i < config->listener_count; i++) {
        add_listener(levels, &config->listeners[i], pipeline->sources[i]);
        add_stream(levels, pipeline, pipeline->sources[i]);
    }
    for (size_t i = 0; i < config->sink_count; i++)
        levels_add_sink(levels, config->sinks[i].name, pipeline->slots[i]);
    RULE(levels->sink_count <= config->sink_count, "sinks of one name share a row");
    levels->left_count = pipeline_left_spills(pipeline, levels->left);
    levels->pool = batch_pool_levels(pipeline->pool);
    if (keep_texts(levels))
        return levels;
    pipeline_levels_free(levels);
    return NULL;
}

void pipeline_levels_free(struct pipeline_levels *levels)
{
    if (levels == NULL)
        return;
    free(levels->texts);
    free(levels->listeners);
    free(levels->streams);
    free(levels->sinks);
    free(levels->left);
    free(levels);
}

int64_t pipeline_refresh_receivers(struct pipeline *pipeline, int64_t now_ns)
{
    int64_t since_ns = INT64_MAX;
    for (size_t i = 0; i < pipeline->receiver_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        RULE(producer->object == producer->receiver, "the first producers are receivers");
        if (receiver_has_refreshed(producer->receiver, producer->asked)) {
            producer->asked = receiver_refresh(producer->receiver);
            producer->asked_ns = now_ns;
        } else if (producer->asked_ns < since_ns) {
            since_ns = producer->asked_ns;
        }
    }
    return since_ns;
}
