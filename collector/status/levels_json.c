#include "collector/status/levels_json.h"

#include <stddef.h>
#include <string.h>

#include "collector/text/json_writer.h"

static void put_listener(struct output *out, const struct listener_level *listener)
{
    json_object_begin(out);
    json_member_text(out, "name", listener->name);
    json_member_uint64(out, "sockets", listener->sockets);
    json_member_uint64(out, "receive_buffer_asked", listener->buffer_asked);
    json_member_uint64(out, "receive_buffer", listener->buffer_granted);
    json_member_bool(out, "group_lost", listener->group_lost);
    json_object_end(out);
}

static void put_stream(struct output *out, const struct stream_level *stream)
{
    json_object_begin(out);
    json_member_text(out, "name", stream->name);
    json_member_uint64(out, "open", stream->open);
    json_member_uint64(out, "open_limit", stream->open_most);
    json_object_end(out);
}

/* Returns the seconds since `since_ns`, rounded to milliseconds. */
static double seconds_since(int64_t since_ns, int64_t now_ns)
{
    return since_ns == 0 || since_ns > now_ns ? 0 : (double)((now_ns - since_ns) / 1000000) / 1e3;
}

/* Writes the named figures of the sink's destination. */
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
    for (size_t i = 0; i < ANSWER_COUNT && (figures->has & DELIVERY_HAS_ANSWERS) != 0; i++)
        json_member_uint64(out, delivery_answer_names[i], figures->answers[i]);
    json_object_end(out);
}

static void put_sink(struct output *out, const struct sink_level *sink, int64_t now_ns)
{
    json_object_begin(out);
    json_member_text(out, "name", sink->name);
    json_member_bool(out, "ended", sink->condition.ended);
    json_member_double(out, "waiting_seconds",
                       seconds_since(sink->condition.waits_since_ns, now_ns));
    json_member_double(out, "failing_seconds",
                       seconds_since(sink->condition.fails_since_ns, now_ns));
    json_member_text(out, "error", sink->reason);
    json_member_double(out, "oldest_seconds", seconds_since(sink->condition.oldest_ns, now_ns));
    json_member_uint64(out, "spill_bytes", sink->condition.spill_bytes);
    json_member_uint64(out, "spill_limit_bytes", sink->condition.spill_size);
    json_key_literal(out, "figures");
    put_figures(out, &sink->figures);
    json_key_literal(out, "answers");
    put_answers(out, &sink->figures);
    json_member_uint64(out, "queue_batches", sink->queue.batches);
    json_member_uint64(out, "queue_limit_batches", sink->queue.batches_most);
    json_member_uint64(out, "queue_large_batches", sink->queue.large);
    json_member_uint64(out, "queue_large_limit_batches", sink->queue.large_most);
    json_member_double(out, "queue_fill", sink->queue.fill);
    json_object_end(out);
}

static void put_batches(struct output *out, const struct batch_pool_levels *pool)
{
    json_key_literal(out, "batches");
    json_object_begin(out);
    json_member_uint64(out, "small", pool->small);
    json_member_uint64(out, "small_free", pool->small_free);
    json_member_uint64(out, "large", pool->large);
    json_member_uint64(out, "large_free", pool->large_free);
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
