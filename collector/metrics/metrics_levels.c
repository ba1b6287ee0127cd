#include "collector/metrics/metrics_levels.h"

#include <stdbool.h>
#include <stddef.h>

#include "collector/metrics/metrics_group.h"
#include "collector/metrics/metrics_rows.h"

static struct metrics_group group_of_sockets(const struct pipeline_levels *levels)
{
    return (struct metrics_group){.label = "listener",
                                  .first = (const char *)levels->listeners,
                                  .count = levels->listener_count,
                                  .size = sizeof *levels->listeners,
                                  .name = offsetof(struct listener_level, name)};
}

static struct metrics_group group_of_streams(const struct pipeline_levels *levels)
{
    return (struct metrics_group){.label = "listener",
                                  .first = (const char *)levels->streams,
                                  .count = levels->stream_count,
                                  .size = sizeof *levels->streams,
                                  .name = offsetof(struct stream_level, name)};
}

static struct metrics_group group_of_sinks(const struct pipeline_levels *levels)
{
    return (struct metrics_group){.label = "sink",
                                  .first = (const char *)levels->sinks,
                                  .count = levels->sink_count,
                                  .size = sizeof *levels->sinks,
                                  .name = offsetof(struct sink_level, name)};
}

/*
 * A gauge with one sample for each row of a group. `value` is the offset of the sample's value in
 * the row.
 */
struct gauge {
    enum metrics_row_index row;
    size_t value;
};

#define GAUGES(gauges) (gauges), sizeof(gauges) / sizeof *(gauges)

/* Writes gauges whose values are size_t. */
static void put_sizes(struct metrics_text *text, const struct metrics_group *group,
                      const struct gauge *gauges, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const struct metric *metric = metrics_rows_begin(text, gauges[k].row);
        for (size_t i = 0; i < group->count; i++) {
            const char *row = metrics_group_at(group, i);
            metrics_text_integer(text, metric,
                                 METRIC_LABELS({group->label, metrics_group_name(group, row)}),
                                 *(const size_t *)(const void *)(row + gauges[k].value));
        }
    }
}

static double seconds_since(int64_t since_ns, int64_t now_ns)
{
    return since_ns == 0 || since_ns > now_ns ? 0 : (double)(now_ns - since_ns) / 1e9;
}

/* Writes gauges whose values are times, int64_t; each sample is the seconds since that time. */
static void levels_put_times(struct metrics_text *text, const struct metrics_group *group,
                             const struct gauge *gauges, size_t count, int64_t now_ns)
{
    for (size_t k = 0; k < count; k++) {
        const struct metric *metric = metrics_rows_begin(text, gauges[k].row);
        for (size_t i = 0; i < group->count; i++) {
            const char *row = metrics_group_at(group, i);
            const int64_t *since_ns = (const void *)(row + gauges[k].value);
            metrics_text_number(text, metric,
                                METRIC_LABELS({group->label, metrics_group_name(group, row)}),
                                seconds_since(*since_ns, now_ns));
        }
    }
}

static void put_listeners(struct metrics_text *text, const struct pipeline_levels *levels)
{
    static const struct gauge of_sockets[] = {
        {ROW_SOCKETS, offsetof(struct listener_level, sockets)},
        {ROW_RECEIVE_BUFFER, offsetof(struct listener_level, buffer_granted)},
        {ROW_RECEIVE_BUFFER_ASKED, offsetof(struct listener_level, buffer_asked)},
    };
    static const struct gauge of_streams[] = {
        {ROW_OPEN, offsetof(struct stream_level, open)},
        {ROW_OPEN_LIMIT, offsetof(struct stream_level, open_most)},
    };
    const struct metrics_group sockets = group_of_sockets(levels);
    const struct metrics_group streams = group_of_streams(levels);
    if (sockets.count != 0)
        put_sizes(text, &sockets, GAUGES(of_sockets));
    if (streams.count != 0)
        put_sizes(text, &streams, GAUGES(of_streams));
}

static void put_spills(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *bytes = metrics_rows_begin(text, ROW_SPILL);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].condition.spill_size != 0)
            metrics_text_integer(text, bytes, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].condition.spill_bytes);
    const struct metric *limit = metrics_rows_begin(text, ROW_SPILL_LIMIT);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].condition.spill_size != 0)
            metrics_text_integer(text, limit, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].condition.spill_size);
}

/* Returns the row of a figure; the rows of DELIVERY_FIGURES are consecutive. */
static enum metrics_row_index row_of_figure(size_t figure)
{
    return (enum metrics_row_index)(ROW_CONNECTIONS + figure);
}

static bool is_time(size_t figure)
{
    return figure == FIGURE_ROUND_TRIP;
}

static void put_figure(struct metrics_text *text, const struct pipeline_levels *levels,
                       size_t figure)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < levels->sink_count; i++) {
        const struct sink_level *sink = &levels->sinks[i];
        const struct metric_label *labels = METRIC_LABELS({"sink", sink->name});
        if ((sink->figures.has & DELIVERY_HAS(figure)) == 0)
            continue;
        if (metric == NULL)
            metric = metrics_rows_begin(text, row_of_figure(figure));
        if (is_time(figure))
            metrics_text_number(text, metric, labels, (double)sink->figures.values[figure] / 1e9);
        else
            metrics_text_integer(text, metric, labels, sink->figures.values[figure]);
    }
}

static void put_answers(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < levels->sink_count; i++) {
        const struct sink_level *sink = &levels->sinks[i];
        if ((sink->figures.has & DELIVERY_HAS_ANSWERS) == 0)
            continue;
        if (metric == NULL)
            metric = metrics_rows_begin(text, ROW_ANSWERS);
        for (size_t k = 0; k < ANSWER_COUNT; k++)
            metrics_text_integer(
                text, metric,
                METRIC_LABELS({"sink", sink->name}, {"class", delivery_answer_names[k]}),
                sink->figures.answers[k]);
    }
}

static void put_request_times(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < levels->sink_count; i++) {
        const struct sink_level *sink = &levels->sinks[i];
        const struct metric_label label = {"sink", sink->name};
        if ((sink->figures.has & DELIVERY_HAS_TIMES) == 0)
            continue;
        if (metric == NULL)
            metric = metrics_rows_begin(text, ROW_REQUEST_TIME);
        metrics_text_histogram(text, metric, &label, histogram_times, &sink->figures.request_time);
    }
}

static void put_figures(struct metrics_text *text, const struct pipeline_levels *levels)
{
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        put_figure(text, levels, i);
    put_answers(text, levels);
    put_request_times(text, levels);
}

/* --- series ----------------------------------------------------------------------------------- */

static bool are_limited(const struct pipeline_levels *levels)
{
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].limited)
            return true;
    return false;
}

static void put_known_series(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *known = metrics_rows_begin(text, ROW_SERIES);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].limited)
            metrics_text_integer(text, known, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].series.series);
    const struct metric *limit = metrics_rows_begin(text, ROW_SERIES_LIMIT);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].limited && levels->sinks[i].series.series_most != 0)
            metrics_text_integer(text, limit, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].series.series_most);
}

static void put_senders(struct metrics_text *text, const struct metric *metric, const char *sink,
                        const struct growth_sender *senders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char address[ADDRESS_TEXT_SIZE];
        series_growth_format_sender(&senders[i].sender, address);
        if (senders[i].refused != 0)
            metrics_text_integer(text, metric, METRIC_LABELS({"sink", sink}, {"sender", address}),
                                 senders[i].refused);
    }
}

static void put_growth(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *refused = metrics_rows_begin(text, ROW_SERIES_OF_SENDER);
    for (size_t i = 0; i < levels->sink_count; i++)
        put_senders(text, refused, levels->sinks[i].name, levels->sinks[i].series.growth.senders,
                    levels->sinks[i].series.growth.sender_count);
    const struct metric *values = metrics_rows_begin(text, ROW_LABEL_VALUES);
    for (size_t i = 0; i < levels->sink_count; i++) {
        const struct growth_report *growth = &levels->sinks[i].series.growth;
        for (size_t k = 0; k < growth->label_count; k++)
            metrics_text_integer(
                text, values,
                METRIC_LABELS({"sink", levels->sinks[i].name}, {"label", growth->labels[k].name}),
                growth->labels[k].values);
    }
    const struct metric *late = metrics_rows_begin(text, ROW_TIME_OF_SENDER);
    for (size_t i = 0; i < levels->sink_count; i++)
        put_senders(text, late, levels->sinks[i].name, levels->sinks[i].series.growth.late,
                    levels->sinks[i].series.growth.late_count);
}

/* --- all levels ------------------------------------------------------------------------------- */

static void put_sinks(struct metrics_text *text, const struct pipeline_levels *levels,
                      int64_t now_ns)
{
    static const struct gauge queues[] = {
        {ROW_QUEUE, offsetof(struct sink_level, queue.batches)},
        {ROW_QUEUE_LIMIT, offsetof(struct sink_level, queue.batches_most)},
        {ROW_QUEUE_LARGE, offsetof(struct sink_level, queue.large)},
        {ROW_QUEUE_LARGE_LIMIT, offsetof(struct sink_level, queue.large_most)},
    };
    static const struct gauge times[] = {
        {ROW_WAITING, offsetof(struct sink_level, condition.waits_since_ns)},
        {ROW_FAILING, offsetof(struct sink_level, condition.fails_since_ns)},
        {ROW_OLDEST, offsetof(struct sink_level, condition.oldest_ns)},
    };
    const struct metrics_group group = group_of_sinks(levels);
    put_sizes(text, &group, GAUGES(queues));
    const struct metric *fill = metrics_rows_begin(text, ROW_QUEUE_FILL);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_number(text, fill, METRIC_LABELS({"sink", levels->sinks[i].name}),
                            levels->sinks[i].queue.fill);
    levels_put_times(text, &group, GAUGES(times), now_ns);
    put_spills(text, levels);
    if (are_limited(levels)) {
        put_known_series(text, levels);
        put_growth(text, levels);
    }
    const struct metric *ended = metrics_rows_begin(text, ROW_ENDED);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_integer(text, ended, METRIC_LABELS({"sink", levels->sinks[i].name}),
                             levels->sinks[i].condition.ended);
    put_figures(text, levels);
}

static void put_pool(struct metrics_text *text, const struct batch_pool_levels *pool)
{
    const struct metric *all = metrics_rows_begin(text, ROW_BATCHES);
    metrics_text_integer(text, all, METRIC_LABELS({"size", "small"}), pool->small);
    metrics_text_integer(text, all, METRIC_LABELS({"size", "large"}), pool->large);
    const struct metric *unused = metrics_rows_begin(text, ROW_BATCHES_FREE);
    metrics_text_integer(text, unused, METRIC_LABELS({"size", "small"}), pool->small_free);
    metrics_text_integer(text, unused, METRIC_LABELS({"size", "large"}), pool->large_free);
}

void metrics_levels_write(struct metrics_text *text, const struct pipeline_levels *levels,
                          int64_t now_ns)
{
    put_listeners(text, levels);
    put_sinks(text, levels, now_ns);
    put_pool(text, &levels->pool);
}
