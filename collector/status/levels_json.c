#include "collector/status/levels_json.h"

#include <stddef.h>
#include <string.h>

#include "collector/text/json_writer.h"

static void put_name(struct output *out, const char *name)
{
    json_key_literal(out, "name");
    json_string(out, name, strlen(name));
}

static void put_listener(struct output *out, const struct listener_level *listener)
{
    json_object_begin(out);
    put_name(out, listener->name);
    json_key_literal(out, "sockets");
    json_uint64(out, listener->sockets);
    json_key_literal(out, "receive_buffer_asked");
    json_uint64(out, listener->buffer_asked);
    json_key_literal(out, "receive_buffer");
    json_uint64(out, listener->buffer_granted);
    json_key_literal(out, "group_lost");
    json_bool(out, listener->group_lost);
    json_object_end(out);
}

static void put_stream(struct output *out, const struct stream_level *stream)
{
    json_object_begin(out);
    put_name(out, stream->name);
    json_key_literal(out, "open");
    json_uint64(out, stream->open);
    json_key_literal(out, "open_limit");
    json_uint64(out, stream->open_most);
    json_object_end(out);
}

/* To a millisecond. */
static double seconds_since(int64_t since_ns, int64_t now_ns)
{
    return since_ns == 0 || since_ns > now_ns ? 0 : (double)((now_ns - since_ns) / 1000000) / 1e3;
}

/* Those that its destination has, by their names. */
static void put_figures(struct output *out, const struct delivery_figure_totals *figures)
{
    json_object_begin(out);
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        if ((figures->has & DELIVERY_HAS(i)) == 0)
            continue;
        json_key(out, delivery_figure_names[i], strlen(delivery_figure_names[i]));
        if (i == FIGURE_ROUND_TRIP)
            json_double(out, (double)(figures->values[i] / 1000) / 1e6);
        else
            json_uint64(out, figures->values[i]);
    }
    json_object_end(out);
}

static void put_answers(struct output *out, const struct delivery_figure_totals *figures)
{
    json_object_begin(out);
    for (size_t i = 0; i < ANSWER_COUNT && (figures->has & DELIVERY_HAS_ANSWERS) != 0; i++) {
        json_key(out, delivery_answer_names[i], strlen(delivery_answer_names[i]));
        json_uint64(out, figures->answers[i]);
    }
    json_object_end(out);
}

static void put_sink(struct output *out, const struct sink_level *sink, int64_t now_ns)
{
    json_object_begin(out);
    put_name(out, sink->name);
    json_key_literal(out, "ended");
    json_bool(out, sink->condition.ended);
    json_key_literal(out, "waiting_seconds");
    json_double(out, seconds_since(sink->condition.waits_since_ns, now_ns));
    json_key_literal(out, "failing_seconds");
    json_double(out, seconds_since(sink->condition.fails_since_ns, now_ns));
    json_key_literal(out, "oldest_seconds");
    json_double(out, seconds_since(sink->condition.oldest_ns, now_ns));
    json_key_literal(out, "spill_bytes");
    json_uint64(out, sink->condition.spill_bytes);
    json_key_literal(out, "spill_limit_bytes");
    json_uint64(out, sink->condition.spill_size);
    json_key_literal(out, "figures");
    put_figures(out, &sink->figures);
    json_key_literal(out, "answers");
    put_answers(out, &sink->figures);
    json_key_literal(out, "queue_batches");
    json_uint64(out, sink->queue.batches);
    json_key_literal(out, "queue_limit_batches");
    json_uint64(out, sink->queue.batches_most);
    json_key_literal(out, "queue_large_batches");
    json_uint64(out, sink->queue.large);
    json_key_literal(out, "queue_large_limit_batches");
    json_uint64(out, sink->queue.large_most);
    json_object_end(out);
}

static void put_batches(struct output *out, const struct batch_pool_levels *pool)
{
    json_key_literal(out, "batches");
    json_object_begin(out);
    json_key_literal(out, "small");
    json_uint64(out, pool->small);
    json_key_literal(out, "small_free");
    json_uint64(out, pool->small_free);
    json_key_literal(out, "large");
    json_uint64(out, pool->large);
    json_key_literal(out, "large_free");
    json_uint64(out, pool->large_free);
    json_object_end(out);
}

void levels_json_write(const struct pipeline_levels *levels, int64_t now_ns, struct output *out)
{
    json_object_begin(out);
    json_key_literal(out, "listeners");
    json_array_begin(out);
    for (size_t i = 0; i < levels->listener_count; i++)
        put_listener(out, &levels->listeners[i]);
    json_array_end(out);
    json_key_literal(out, "streams");
    json_array_begin(out);
    for (size_t i = 0; i < levels->stream_count; i++)
        put_stream(out, &levels->streams[i]);
    json_array_end(out);
    json_key_literal(out, "sinks");
    json_array_begin(out);
    for (size_t i = 0; i < levels->sink_count; i++)
        put_sink(out, &levels->sinks[i], now_ns);
    json_array_end(out);
    put_batches(out, &levels->pool);
    json_object_end(out);
}
