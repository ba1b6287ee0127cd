/*
 * The encoder `prometheus` writes sample lines of the text exposition format 0.0.4, with times in
 * milliseconds and without comments, for stores that import such lines. A number is one line. A
 * histogram or summary has a line for each bucket or quantile, then _sum and _count.
 *
 * exposition.c has the parts that are common with openmetrics. More in sinks/README.md.
 */
#include <math.h>
#include <string.h>

#include "collector/text/number.h"
#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/exposition.h"
#include "sinks/encoders/line_mark.h"
#include "sinks/encoders/line_time.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/whole_lines.h"

struct prometheus_encoder {
    struct sample_encoder base;
    struct line_time end;
    struct series_labels series;
};

/* The lines of one sample. */
struct lines {
    struct exposition text;
    const struct sample_encoder *encoder;
    int64_t time_ns;
    struct line_time *end;
};

static void put_milliseconds(struct output *out, int64_t time_ns)
{
    number_int64(out, time_ns / 1000000 - (time_ns % 1000000 < 0));
}

static void end_line(const struct lines *lines)
{
    line_time_put(lines->end, lines->time_ns, put_milliseconds, lines->text.out);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void write_number(struct lines *lines)
{
    bool asked = lines->encoder->counter_suffix;
    exposition_begin_plain(&lines->text, asked ? exposition_suffix(lines->text.sample) : "");
    exposition_number(lines->text.out, lines->text.sample);
    end_line(lines);
}

static void write_totals(struct lines *lines, const struct sample_totals *totals)
{
    if (totals->has_sum) {
        exposition_begin_plain(&lines->text, "_sum");
        exposition_double(lines->text.out, totals->sum);
        end_line(lines);
    }
    exposition_begin_plain(&lines->text, "_count");
    number_uint64(lines->text.out, totals->count);
    end_line(lines);
}

static void write_bucket(struct lines *lines, double bound, uint64_t count)
{
    exposition_begin_own(&lines->text, "_bucket");
    exposition_double(lines->text.out, bound);
    output_literal(lines->text.out, "\"} ");
    number_uint64(lines->text.out, count);
    end_line(lines);
}

static void write_histogram(struct lines *lines, const struct sample_totals *totals)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    lines->text.own_label = "le";
    classic_buckets_begin(&walk, lines->text.sample, lines->encoder->buckets);
    while (!lines->text.out->overflow && classic_buckets_next(&walk, &bucket))
        write_bucket(lines, bucket.bound, bucket.count);
    write_bucket(lines, (double)INFINITY, totals->count);
    write_totals(lines, totals);
}

static void write_summary(struct lines *lines, struct arena *scratch)
{
    const struct schema *schema = lines->text.record->schema;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample_quantile quantile;
    lines->text.own_label = "quantile";
    while (!lines->text.out->overflow &&
           schema->ops->next_quantile(schema, lines->text.record->message, lines->text.sample,
                                      &cursor, &quantile)) {
        exposition_begin_own(&lines->text, "");
        exposition_double(lines->text.out, quantile.quantile);
        output_literal(lines->text.out, "\"} ");
        exposition_double(lines->text.out, quantile.value);
        end_line(lines);
    }
    write_totals(lines, &lines->text.sample->value.summary.totals);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct prometheus_encoder *prometheus = (struct prometheus_encoder *)encoder;
    struct lines lines = {.text = {.labels = &encoder->labels,
                                   .record = record,
                                   .sample = sample,
                                   .out = out,
                                   .series = &prometheus->series},
                          .encoder = encoder,
                          .time_ns = sample->time_ns != 0 ? sample->time_ns : record->received_ns,
                          .end = &prometheus->end};
    if (sample->type == SAMPLE_HISTOGRAM)
        write_histogram(&lines, &sample->value.histogram.totals);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        write_histogram(&lines, &sample->value.exponential_histogram.totals);
    else if (sample->type == SAMPLE_SUMMARY)
        write_summary(&lines, &encoder->scratch);
    else
        write_number(&lines);
    encoder->joined += lines.text.joined;
    return lines.text.count;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)listener;
    struct sample_encoder *prometheus = (struct sample_encoder *)encoder;
    sample_encoder_begin_record(prometheus);
    return sample_encoder_write(prometheus, record, write_sample, out);
}

static bool is_of_name(uint8_t byte, bool first)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           byte == ':' || (!first && byte >= '0' && byte <= '9');
}

/* Returns true if labels can begin with these bytes. */
static bool is_label(const uint8_t *bytes, size_t size)
{
    size_t end = 0;
    while (end < size && is_of_name(bytes[end], end == 0))
        end++;
    size_t left = size - end;
    return left == 0 || (end != 0 && memcmp(bytes + end, "=\"", left < 2 ? 1 : 2) == 0);
}

/* Returns true if these bytes can be the value and the time after a name. */
static bool is_number(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '\0' || strchr(" +-.0123456789eINafn\n", bytes[i]) == NULL)
            return false;
    return bytes[0] == ' ' && (size == 1 || bytes[1] != ' ');
}

/*
 * Other programs write this format, too. Only a complete line with a time is identified as the
 * sink's own.
 */
static enum output_line line(const uint8_t *bytes, size_t size)
{
    size_t end = 0;
    while (end < size && is_of_name(bytes[end], end == 0))
        end++;
    if (end == 0)
        return OUTPUT_LINE_FOREIGN;
    if (end == size)
        return OUTPUT_LINE_LIKELY;
    bool like = bytes[end] == '{' ? is_label(bytes + end + 1, size - end - 1)
                                  : is_number(bytes + end, size - end);
    return like ? line_mark_ends_with_time(bytes, size) : OUTPUT_LINE_FOREIGN;
}

static struct encoder *create(const struct encoder_options *options)
{
    struct prometheus_encoder *made =
        sample_encoder_create(&encoder_prometheus, sizeof *made, options);
    if (made == NULL)
        return NULL;
    series_labels_init(&made->series, &made->base.scratch);
    return &made->base.encoder;
}

const struct encoder_ops encoder_prometheus = {
    .name = "prometheus",
    .media_type = "text/plain; version=0.0.4; charset=utf-8",
    .overwrites = true,
    .needs_samples = true,
    .has_buckets = true,
    .has_suffixes = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
    .line = line,
};
