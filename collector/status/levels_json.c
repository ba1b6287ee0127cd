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

/*
 * Returns the seconds since `since_ns`, rounded down to milliseconds; 0 if that is 0 or later than
 * `now_ns`.
 */
static double seconds_since(int64_t since_ns, int64_t now_ns)
{
    return since_ns == 0 || since_ns > now_ns ? 0 : (double)((now_ns - since_ns) / 1000000) / 1e3;
}

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

/* --- series ----------------------------------------------------------------------------------- */

static void put_address(struct output *out, const struct address *sender)
{
    char text[ADDRESS_TEXT_SIZE];
    series_growth_format_sender(sender, text);
    json_member_text(out, "address", text);
}

static void put_senders(struct output *out, const struct growth_report *growth)
{
    json_key_literal(out, "senders");
    json_array_begin(out);
    for (size_t i = 0; i < growth->sender_count; i++) {
        json_object_begin(out);
        put_address(out, &growth->senders[i].sender);
        json_member_uint64(out, "new", growth->senders[i].added);
        json_member_uint64(out, "refused", growth->senders[i].refused);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_labels(struct output *out, const struct growth_report *growth)
{
    json_key_literal(out, "labels");
    json_array_begin(out);
    for (size_t i = 0; i < growth->label_count; i++) {
        json_object_begin(out);
        json_member_text(out, "name", growth->labels[i].name);
        json_member_uint64(out, "values", growth->labels[i].values);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_late(struct output *out, const struct growth_report *growth)
{
    json_key_literal(out, "out_of_time");
    json_array_begin(out);
    for (size_t i = 0; i < growth->late_count; i++) {
        json_object_begin(out);
        put_address(out, &growth->late[i].sender);
        json_member_uint64(out, "samples", growth->late[i].refused);
        json_object_end(out);
    }
    json_array_end(out);
}

static void put_series(struct output *out, const struct series_report *series)
{
    json_key_literal(out, "series");
    json_object_begin(out);
    json_member_uint64(out, "known", series->series);
    json_member_uint64(out, "limit", series->series_most);
    put_senders(out, &series->growth);
    put_labels(out, &series->growth);
    put_late(out, &series->growth);
    json_object_end(out);
}

/* --- all levels ------------------------------------------------------------------------------- */

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
    json_member_text(out, "past_error", sink->past.reason);
    json_member_double(out, "past_error_seconds",
                       (double)((sink->past.until_ns - sink->past.since_ns) / 1000000) / 1e3);
    json_member_double(out, "past_error_ended_seconds", seconds_since(sink->past.until_ns, now_ns));
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
    if (sink->limited)
        put_series(out, &sink->series);
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
