#include "collector/metrics/metrics_page.h"

#include <stddef.h>
#include <string.h>

#include "collector/metrics/metrics_rows.h"

const char *const metrics_page_types[] = {
    [METRICS_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
    [METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* Begins the family of a row, and returns it. */
static const struct metric *begin(struct metrics_text *text, enum metrics_row_index row)
{
    metrics_text_begin(text, &metrics_rows[row].metric, metrics_rows[row].help);
    return &metrics_rows[row].metric;
}

/* --- one row for each name -------------------------------------------------------------------- */

static void add_totals(const struct ledger_term *terms, void *to, const void *from)
{
    for (; terms->name != NULL; terms++)
        *(uint64_t *)(void *)((char *)to + terms->total) += ledger_total(from, terms);
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void add_measures(const struct ledger_measure *measures, void *to, const void *from)
{
    for (; measures->name != NULL; measures++) {
        struct histogram_totals *sum = (void *)((char *)to + measures->total);
        const struct histogram_totals *more = (const void *)((const char *)from + measures->total);
        add_counts(sum->ranges, more->ranges, HISTOGRAM_BOUNDS + 1);
        sum->sum += more->sum;
    }
}

/* Two may have one name: captures of one file, commands of one text, one that came again. */
static void merge_listeners(struct ledger_snapshot *ledger)
{
    size_t kept = 0;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *from = &ledger->listeners[i];
        struct listener_totals *to = ledger->listeners;
        while (to != ledger->listeners + kept && strcmp(to->name, from->name) != 0)
            to++;
        if (to == ledger->listeners + kept) {
            ledger->listeners[kept++] = *from;
            continue;
        }
        add_totals(listener_terms, to, from);
        add_counts(to->reasons, from->reasons, REASON_COUNT);
    }
    ledger->listener_count = kept;
}

static void merge_sinks(struct ledger_snapshot *ledger)
{
    size_t kept = 0;
    for (size_t i = 0; i < ledger->sink_count; i++) {
        const struct sink_totals *from = &ledger->sinks[i];
        struct sink_totals *to = ledger->sinks;
        while (to != ledger->sinks + kept && strcmp(to->name, from->name) != 0)
            to++;
        if (to == ledger->sinks + kept) {
            ledger->sinks[kept++] = *from;
            continue;
        }
        add_totals(offer_terms, to, from);
        add_totals(sink_terms, to, from);
        add_counts(to->refused, from->refused, REFUSAL_COUNT);
        add_counts(to->failed, from->failed, FAILURE_COUNT);
        add_measures(sink_measures, to, from);
        to->in_flight += from->in_flight;
    }
    ledger->sink_count = kept;
}

/* --- what the ledger counts ------------------------------------------------------------------- */

/* Listeners, receiving threads or sinks of a snapshot, whatever their rows are. */
struct rows {
    const char *label; /* what names one of them: "listener" */
    const char *of;    /* the same within a metric's name */
    const char *first;
    size_t count, size;
    size_t name; /* where the name stands in a row */
};

static struct rows listener_rows(const struct ledger_snapshot *ledger)
{
    return (struct rows){"listener",
                         "listener_",
                         (const char *)ledger->listeners,
                         ledger->listener_count,
                         sizeof *ledger->listeners,
                         offsetof(struct listener_totals, name)};
}

static struct rows sink_rows(const struct ledger_snapshot *ledger)
{
    return (struct rows){"sink",
                         "sink_",
                         (const char *)ledger->sinks,
                         ledger->sink_count,
                         sizeof *ledger->sinks,
                         offsetof(struct sink_totals, name)};
}

static struct rows thread_rows(const struct ledger_snapshot *ledger)
{
    return (struct rows){"receiver",
                         "receiver_",
                         (const char *)ledger->threads,
                         ledger->thread_count,
                         sizeof *ledger->threads,
                         offsetof(struct thread_totals, name)};
}

static const void *row_at(const struct rows *rows, size_t index)
{
    return rows->first + index * rows->size;
}

static const char *name_of(const struct rows *rows, const void *row)
{
    return *(const char *const *)(const void *)((const char *)row + rows->name);
}

/* Whether the term says something of a row. */
typedef bool term_filter(const struct ledger_term *term, const void *row);

static bool term_fits_listener(const struct ledger_term *term, const void *row)
{
    const struct listener_totals *listener = row;
    if (!ledger_has_term(listener, term))
        return false;
    if (term->total != offsetof(struct listener_totals, kernel_drops))
        return true;
    return listener->kind->is_socket && listener->drops_counted && !listener->drops.filtered;
}

static bool term_fits_sink(const struct ledger_term *term, const void *row)
{
    (void)term;
    (void)row;
    return true;
}

static void put_terms(struct metrics_text *text, const struct rows *rows,
                      const struct ledger_term *terms, term_filter *fits)
{
    for (; terms->name != NULL; terms++) {
        const struct metric metric = metric_of_term(rows->of, terms);
        bool begun = false;
        for (size_t i = 0; i < rows->count; i++) {
            const void *row = row_at(rows, i);
            if (!fits(terms, row))
                continue;
            if (!begun)
                metrics_text_begin(text, &metric, terms->help);
            begun = true;
            metrics_text_integer(text, &metric, METRIC_LABELS({rows->label, name_of(rows, row)}),
                                 ledger_total(row, terms));
        }
    }
}

/* A counter for each reason, at `counts` bytes in a row. */
struct reasons {
    enum metrics_row_index row;
    const char *const *names;
    size_t count, counts;
};

static void put_reasons(struct metrics_text *text, const struct rows *rows,
                        const struct reasons *reasons)
{
    if (rows->count == 0)
        return;
    const struct metric *metric = begin(text, reasons->row);
    for (size_t i = 0; i < rows->count; i++) {
        const char *row = row_at(rows, i);
        const uint64_t *counts = (const void *)(row + reasons->counts);
        for (size_t k = 0; k < reasons->count; k++)
            metrics_text_integer(
                text, metric,
                METRIC_LABELS({rows->label, name_of(rows, row)}, {"reason", reasons->names[k]}),
                counts[k]);
    }
}

static void put_measure(struct metrics_text *text, const struct rows *rows,
                        const struct ledger_measure *measure)
{
    const struct metric metric = {"sluice_", rows->of, measure->metric, METRIC_HISTOGRAM};
    if (rows->count != 0)
        metrics_text_begin(text, &metric, measure->help);
    for (size_t i = 0; i < rows->count; i++) {
        const char *row = row_at(rows, i);
        const struct metric_label label = {rows->label, name_of(rows, row)};
        metrics_text_histogram(text, &metric, &label, measure->bounds,
                               (const void *)(row + measure->total));
    }
}

/* Where the kernel counts what its filter refuses among its drops, that has another name. */
static void put_filtered_drops(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *listener = &ledger->listeners[i];
        if (!listener->drops.filtered || !listener->drops_counted)
            continue;
        if (metric == NULL)
            metric = begin(text, ROW_KERNEL_DROPS_AND_FILTERED);
        metrics_text_integer(text, metric, METRIC_LABELS({"listener", listener->name}),
                             listener->kernel_drops);
    }
}

static void put_listener_info(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = begin(text, ROW_LISTENER);
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *listener = &ledger->listeners[i];
        metrics_text_integer(
            text, metric,
            METRIC_LABELS({"listener", listener->name}, {"kind", listener->kind->name},
                          {"schema", listener->schema},
                          {"kernel_drops_unit", listener->drops.buffers ? "buffer" : "datagram"}),
            1);
    }
}

static void put_listeners(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct rows rows = listener_rows(ledger);
    const struct reasons refused = {ROW_LISTENER_REFUSED, datagram_reason_names, REASON_COUNT,
                                    offsetof(struct listener_totals, reasons)};
    put_listener_info(text, ledger);
    put_terms(text, &rows, listener_terms, term_fits_listener);
    put_filtered_drops(text, ledger);
    put_reasons(text, &rows, &refused);
}

static void put_receivers(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct rows rows = thread_rows(ledger);
    for (const struct ledger_measure *measure = thread_measures; measure->name != NULL; measure++)
        put_measure(text, &rows, measure);
}

static void put_in_flight(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = begin(text, ROW_IN_FLIGHT);
    for (size_t i = 0; i < ledger->sink_count; i++)
        metrics_text_number(text, metric, METRIC_LABELS({"sink", ledger->sinks[i].name}),
                            (double)ledger->sinks[i].in_flight);
}

static void put_sinks(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct rows rows = sink_rows(ledger);
    const struct reasons refused = {ROW_SINK_REFUSED, record_refusal_names, REFUSAL_COUNT,
                                    offsetof(struct sink_totals, refused)};
    const struct reasons failed = {ROW_SINK_FAILED, record_failure_names, FAILURE_COUNT,
                                   offsetof(struct sink_totals, failed)};
    put_terms(text, &rows, offer_terms, term_fits_sink);
    put_terms(text, &rows, sink_terms, term_fits_sink);
    put_reasons(text, &rows, &refused);
    put_reasons(text, &rows, &failed);
    put_in_flight(text, ledger);
    for (const struct ledger_measure *measure = sink_measures; measure->name != NULL; measure++)
        put_measure(text, &rows, measure);
}

static void put_letters(struct metrics_text *text, const struct letter_totals *letters)
{
    if (letters->name == NULL)
        return;
    for (const struct ledger_term *term = letter_terms; term->name != NULL; term++) {
        const struct metric metric = metric_of_term("dead_letters_", term);
        metrics_text_begin(text, &metric, term->help);
        metrics_text_integer(text, &metric, METRIC_NO_LABELS, ledger_total(letters, term));
    }
    const struct metric *dropped = begin(text, ROW_DROPPED);
    for (size_t i = 0; i < DROP_COUNT; i++)
        metrics_text_integer(text, dropped, METRIC_LABELS({"reason", letter_drop_names[i]}),
                             letters->dropped[i]);
}

/* --- how things stand ------------------------------------------------------------------------- */

/* A gauge for each of several rows: a size_t at `value` bytes in each. */
struct gauge {
    enum metrics_row_index row;
    size_t value;
};

static void put_buffers(struct metrics_text *text, const struct pipeline_levels *levels)
{
    static const struct gauge gauges[] = {
        {ROW_SOCKETS, offsetof(struct listener_level, sockets)},
        {ROW_RECEIVE_BUFFER, offsetof(struct listener_level, buffer_granted)},
        {ROW_RECEIVE_BUFFER_ASKED, offsetof(struct listener_level, buffer_asked)},
    };
    if (levels->listener_count == 0)
        return;
    for (size_t k = 0; k < sizeof gauges / sizeof *gauges; k++) {
        const struct metric *metric = begin(text, gauges[k].row);
        for (size_t i = 0; i < levels->listener_count; i++) {
            const char *level = (const char *)&levels->listeners[i];
            metrics_text_integer(text, metric,
                                 METRIC_LABELS({"listener", levels->listeners[i].name}),
                                 *(const size_t *)(const void *)(level + gauges[k].value));
        }
    }
}

static void put_connections(struct metrics_text *text, const struct pipeline_levels *levels)
{
    static const struct gauge gauges[] = {
        {ROW_OPEN, offsetof(struct stream_level, open)},
        {ROW_OPEN_LIMIT, offsetof(struct stream_level, open_most)},
    };
    if (levels->stream_count == 0)
        return;
    for (size_t k = 0; k < sizeof gauges / sizeof *gauges; k++) {
        const struct metric *metric = begin(text, gauges[k].row);
        for (size_t i = 0; i < levels->stream_count; i++) {
            const char *level = (const char *)&levels->streams[i];
            metrics_text_integer(text, metric, METRIC_LABELS({"listener", levels->streams[i].name}),
                                 *(const size_t *)(const void *)(level + gauges[k].value));
        }
    }
}

static void put_queues(struct metrics_text *text, const struct pipeline_levels *levels)
{
    static const struct gauge gauges[] = {
        {ROW_QUEUE, offsetof(struct queue_levels, batches)},
        {ROW_QUEUE_LIMIT, offsetof(struct queue_levels, batches_most)},
        {ROW_QUEUE_LARGE, offsetof(struct queue_levels, large)},
        {ROW_QUEUE_LARGE_LIMIT, offsetof(struct queue_levels, large_most)},
    };
    for (size_t k = 0; k < sizeof gauges / sizeof *gauges; k++) {
        const struct metric *metric = begin(text, gauges[k].row);
        for (size_t i = 0; i < levels->sink_count; i++) {
            const char *queue = (const char *)&levels->sinks[i].queue;
            metrics_text_integer(text, metric, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 *(const size_t *)(const void *)(queue + gauges[k].value));
        }
    }
}

static double seconds_since(int64_t since_ns, int64_t now_ns)
{
    return since_ns == 0 || since_ns > now_ns ? 0 : (double)(now_ns - since_ns) / 1e9;
}

static void put_spills(struct metrics_text *text, const struct pipeline_levels *levels)
{
    const struct metric *bytes = begin(text, ROW_SPILL);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].condition.spill_size != 0)
            metrics_text_integer(text, bytes, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].condition.spill_bytes);
    const struct metric *limit = begin(text, ROW_SPILL_LIMIT);
    for (size_t i = 0; i < levels->sink_count; i++)
        if (levels->sinks[i].condition.spill_size != 0)
            metrics_text_integer(text, limit, METRIC_LABELS({"sink", levels->sinks[i].name}),
                                 levels->sinks[i].condition.spill_size);
}

/* The rows of DELIVERY_FIGURES stand one after the other. */
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
            metric = begin(text, row_of_figure(figure));
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
            metric = begin(text, ROW_ANSWERS);
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
            metric = begin(text, ROW_REQUEST_TIME);
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

static void put_conditions(struct metrics_text *text, const struct pipeline_levels *levels,
                           int64_t now_ns)
{
    const struct metric *waits = begin(text, ROW_WAITING);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_number(text, waits, METRIC_LABELS({"sink", levels->sinks[i].name}),
                            seconds_since(levels->sinks[i].condition.waits_since_ns, now_ns));
    const struct metric *fails = begin(text, ROW_FAILING);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_number(text, fails, METRIC_LABELS({"sink", levels->sinks[i].name}),
                            seconds_since(levels->sinks[i].condition.fails_since_ns, now_ns));
    const struct metric *oldest = begin(text, ROW_OLDEST);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_number(text, oldest, METRIC_LABELS({"sink", levels->sinks[i].name}),
                            seconds_since(levels->sinks[i].condition.oldest_ns, now_ns));
    put_spills(text, levels);
    const struct metric *ended = begin(text, ROW_ENDED);
    for (size_t i = 0; i < levels->sink_count; i++)
        metrics_text_integer(text, ended, METRIC_LABELS({"sink", levels->sinks[i].name}),
                             levels->sinks[i].condition.ended);
}

static void put_pool(struct metrics_text *text, const struct batch_pool_levels *pool)
{
    const struct metric *all = begin(text, ROW_BATCHES);
    metrics_text_integer(text, all, METRIC_LABELS({"size", "small"}), pool->small);
    metrics_text_integer(text, all, METRIC_LABELS({"size", "large"}), pool->large);
    const struct metric *unused = begin(text, ROW_BATCHES_FREE);
    metrics_text_integer(text, unused, METRIC_LABELS({"size", "small"}), pool->small_free);
    metrics_text_integer(text, unused, METRIC_LABELS({"size", "large"}), pool->large_free);
}

static void put_levels(struct metrics_text *text, const struct pipeline_levels *levels,
                       int64_t now_ns)
{
    put_buffers(text, levels);
    put_connections(text, levels);
    put_queues(text, levels);
    put_conditions(text, levels, now_ns);
    put_figures(text, levels);
    put_pool(text, &levels->pool);
}

/* --- the program ------------------------------------------------------------------------------ */

static void put_number(struct metrics_text *text, enum metrics_row_index row, double value)
{
    metrics_text_number(text, begin(text, row), METRIC_NO_LABELS, value);
}

static void put_integer(struct metrics_text *text, enum metrics_row_index row, uint64_t value)
{
    metrics_text_integer(text, begin(text, row), METRIC_NO_LABELS, value);
}

static void put_limit(struct metrics_text *text, enum metrics_row_index row, uint64_t limit)
{
    if (limit != USAGE_UNLIMITED)
        put_integer(text, row, limit);
}

static void put_process(struct metrics_text *text, const struct process_usage *usage)
{
    put_number(text, ROW_CPU, usage->processor_seconds);
    put_number(text, ROW_STARTED, usage->started_seconds);
    put_integer(text, ROW_RESIDENT, usage->resident_bytes);
    put_integer(text, ROW_VIRTUAL, usage->virtual_bytes);
    put_limit(text, ROW_VIRTUAL_MOST, usage->virtual_bytes_most);
    put_integer(text, ROW_FILES, usage->open_files);
    put_limit(text, ROW_FILES_MOST, usage->open_files_most);
}

static void put_program(struct metrics_text *text, const struct metrics_facts *facts)
{
    metrics_text_integer(text, begin(text, ROW_BUILD), METRIC_LABELS({"version", facts->version}),
                         1);
    put_number(text, ROW_UPTIME, (double)facts->ledger->uptime_ns / 1e9);
}

void metrics_page_write(const struct metrics_facts *facts, enum metrics_format format,
                        struct output *out)
{
    struct metrics_text text = {out, format};
    merge_listeners(facts->ledger);
    merge_sinks(facts->ledger);
    put_program(&text, facts);
    put_listeners(&text, facts->ledger);
    put_receivers(&text, facts->ledger);
    put_sinks(&text, facts->ledger);
    put_letters(&text, &facts->ledger->letters);
    put_levels(&text, facts->levels, facts->now_ns);
    if (facts->usage != NULL)
        put_process(&text, facts->usage);
    metrics_text_end(&text);
}
