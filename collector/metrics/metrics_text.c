#include "collector/metrics/metrics_text.h"

#include <stddef.h>
#include <string.h>

#include "collector/text/escaped.h"
#include "collector/text/number.h"

static void text_put(struct output *out, const char *text)
{
    if (text != NULL)
        output_bytes(out, text, strlen(text));
}

static void text_put_name(struct output *out, const struct metric *metric, const char *suffix)
{
    text_put(out, metric->prefix);
    text_put(out, metric->of);
    text_put(out, metric->what);
    text_put(out, suffix);
}

const char *metric_suffix(const struct metric *metric)
{
    switch (metric->type) {
    case METRIC_COUNTER:
        return "_total";
    case METRIC_INFO:
        return "_info";
    case METRIC_GAUGE:
    case METRIC_HISTOGRAM:
        break;
    }
    return "";
}

static const char *type_name(const struct metrics_text *text, const struct metric *metric)
{
    switch (metric->type) {
    case METRIC_COUNTER:
        return "counter";
    case METRIC_HISTOGRAM:
        return "histogram";
    case METRIC_INFO:
        return text->format == METRICS_OPENMETRICS ? "info" : "gauge";
    case METRIC_GAUGE:
        break;
    }
    return "gauge";
}

/* In OpenMetrics a family's name lacks the suffix of its samples. */
void metrics_text_begin(struct metrics_text *text, const struct metric *metric, const char *help)
{
    struct output *out = text->out;
    const char *suffix = text->format == METRICS_OPENMETRICS ? "" : metric_suffix(metric);
    output_literal(out, "# HELP ");
    text_put_name(out, metric, suffix);
    output_char(out, ' ');
    text_put(out, help);
    output_literal(out, "\n# TYPE ");
    text_put_name(out, metric, suffix);
    output_char(out, ' ');
    text_put(out, type_name(text, metric));
    output_char(out, '\n');
}

/* --- samples ---------------------------------------------------------------------------------- */

static void text_put_label(struct output *out, const struct metric_label *label)
{
    static const struct escapes escapes = {
        {['\n'] = {"\\n", 2}, ['"'] = {"\\\"", 2}, ['\\'] = {"\\\\", 2}}};
    text_put(out, label->name);
    output_literal(out, "=\"");
    escaped_put(out, label->value, strlen(label->value), &escapes);
    output_char(out, '"');
}

static void begin_sample(struct metrics_text *text, const struct metric *metric,
                         const struct metric_label *labels)
{
    struct output *out = text->out;
    text_put_name(out, metric, metric_suffix(metric));
    for (const struct metric_label *label = labels; label->name != NULL; label++) {
        output_char(out, label == labels ? '{' : ',');
        text_put_label(out, label);
    }
    if (labels->name != NULL)
        output_char(out, '}');
    output_char(out, ' ');
}

void metrics_text_integer(struct metrics_text *text, const struct metric *metric,
                          const struct metric_label *labels, uint64_t value)
{
    begin_sample(text, metric, labels);
    number_uint64(text->out, value);
    output_char(text->out, '\n');
}

void metrics_text_number(struct metrics_text *text, const struct metric *metric,
                         const struct metric_label *labels, double value)
{
    begin_sample(text, metric, labels);
    number_double(text->out, value);
    output_char(text->out, '\n');
}

/* --- histograms ------------------------------------------------------------------------------- */

/*
 * Writes a bound of a bucket as Go does, with ".0" after a whole number, as OpenMetrics requires.
 * Both formats have the same text, because different texts would make two series. The smallest time
 * is 10 us.
 */
static void put_bound(struct output *out, const uint64_t *bounds, uint64_t bound)
{
    const uint64_t second = 1000000000;
    bool is_time = bounds == histogram_times;
    if (is_time && bound < 100000) {
        number_double(out, (double)bound / 1e4);
        output_literal(out, "e-05");
        return;
    }
    number_double(out, is_time ? (double)bound / 1e9 : (double)bound);
    if (!is_time || bound % second == 0)
        output_literal(out, ".0");
}

static void text_put_part(struct metrics_text *text, const struct metric *metric, const char *part,
                          const struct metric_label *label)
{
    text_put_name(text->out, metric, part);
    output_char(text->out, '{');
    text_put_label(text->out, label);
}

void metrics_text_histogram(struct metrics_text *text, const struct metric *metric,
                            const struct metric_label *label, const uint64_t *bounds,
                            const struct histogram_totals *totals)
{
    struct output *out = text->out;
    uint64_t count = 0;
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += totals->ranges[i];
        text_put_part(text, metric, "_bucket", label);
        output_literal(out, ",le=\"");
        if (i < HISTOGRAM_BOUNDS)
            put_bound(out, bounds, bounds[i]);
        else
            output_literal(out, "+Inf");
        output_literal(out, "\"} ");
        number_uint64(out, count);
        output_char(out, '\n');
    }
    text_put_part(text, metric, "_sum", label);
    output_literal(out, "} ");
    if (bounds == histogram_times)
        number_double(out, (double)totals->sum / 1e9);
    else
        number_uint64(out, totals->sum);
    output_char(out, '\n');
    text_put_part(text, metric, "_count", label);
    output_literal(out, "} ");
    number_uint64(out, count);
    output_char(out, '\n');
}

void metrics_text_end(struct metrics_text *text)
{
    if (text->format == METRICS_OPENMETRICS)
        output_literal(text->out, "# EOF\n");
}
