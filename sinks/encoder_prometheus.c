/*
 * prometheus: sample lines of the text exposition format 0.0.4, with times in milliseconds and
 * without comments, for what imports such lines. A number is one line; histograms and summaries are
 * a line for each bucket or quantile, then _sum and _count.
 *
 * Names are made to fit the format's alphabet. A line of a sample that has several begins as the
 * first one does: its name and its labels are copied from there. See README.md for the rest.
 */
#include <math.h>
#include <string.h>

#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "collector/text/utf8.h"
#include "sinks/classic_buckets.h"
#include "sinks/sample_encoder.h"
#include "sinks/sinks.h"
#include "sinks/whole_lines.h"

/* --- names and values ------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c, bool colon)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           (colon && c == ':');
}

/* Each character that the alphabet lacks becomes an underscore; none may begin with a digit. */
static void put_name(struct output *out, const struct text *name, bool colon)
{
    const char *text = name->data;
    size_t size = name->size;
    if (size == 0 || is_digit(text[0]))
        output_char(out, '_');
    while (size != 0 && !out->overflow) {
        size_t run = 0;
        while (run < size && is_name_char(text[run], colon))
            run++;
        output_bytes(out, text, run);
        text += run;
        size -= run;
        if (size == 0)
            break;
        bool valid;
        run = utf8_sequence((const uint8_t *)text, size, &valid);
        output_char(out, '_');
        text += run;
        size -= run;
    }
}

static const struct escapes value_escapes = {
    {['\n'] = {"\\n", 2}, ['"'] = {"\\\"", 2}, ['\\'] = {"\\\\", 2}}};

static void put_double(struct output *out, double value)
{
    if (isfinite(value))
        number_double(out, value);
    else if (isnan(value))
        output_literal(out, "NaN");
    else if (value > 0)
        output_literal(out, "+Inf");
    else
        output_literal(out, "-Inf");
}

static int64_t to_milliseconds(int64_t nanoseconds)
{
    return nanoseconds / 1000000 - (nanoseconds % 1000000 < 0);
}

/* --- the beginning of a line ------------------------------------------------------------------ */

/* The lines of one sample. */
struct lines {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    struct output *out;
    const char *own_label; /* that the format itself gives them; NULL: none */
    int64_t time_ms;
    size_t count;

    /* Where they stand in the first line, the labels without their braces. */
    size_t name_at, name_size;
    size_t labels_at, labels_size;
};

static bool is_at(const struct output *out, size_t at, const char *text)
{
    size_t size = strlen(text);
    return out->used - at == size && memcmp(out->data + at, text, size) == 0;
}

/* A label that is called as one of the format's own is called as Prometheus calls it then. */
static void put_label_name(const struct lines *lines, const struct text *name)
{
    struct output *out = lines->out;
    size_t at = out->used;
    put_name(out, name, false);
    if (is_at(out, at, "__name__") ||
        (lines->own_label != NULL && is_at(out, at, lines->own_label))) {
        out->used = at;
        output_literal(out, "exported_");
        put_name(out, name, false);
    }
}

static void write_label(const struct lines *lines, const struct label *label, bool first)
{
    struct output *out = lines->out;
    size_t start = out->used;
    if (label->key.size == 0 || label->value.size == 0)
        return;
    if (!first)
        output_char(out, ',');
    size_t at = out->used;
    put_label_name(lines, &label->key);
    if (!sample_labels_keep(lines->labels, at, out->used - at, out)) {
        out->used = start;
        return;
    }
    output_literal(out, "=\"");
    escaped_put(out, label->value.data, label->value.size, &value_escapes);
    output_char(out, '"');
}

static void write_labels(struct lines *lines)
{
    struct label label;
    lines->labels_at = lines->out->used;
    sample_labels_begin(lines->labels, lines->record, lines->sample, NULL);
    while (sample_labels_next(lines->labels, &label, lines->out))
        write_label(lines, &label, lines->out->used == lines->labels_at);
    lines->labels_size = lines->out->used - lines->labels_at;
}

/* Appends what stands in the output already. */
static void repeat(struct output *out, size_t at, size_t size)
{
    char *to = output_reserve(out, size);
    if (to != NULL)
        memcpy(to, out->data + at, size);
}

/* Name, suffix, an open brace and the labels. */
static void begin_line(struct lines *lines, const char *suffix)
{
    struct output *out = lines->out;
    bool first = lines->count++ == 0;
    if (first) {
        lines->name_at = out->used;
        put_name(out, &lines->sample->name, true);
        lines->name_size = out->used - lines->name_at;
    } else {
        repeat(out, lines->name_at, lines->name_size);
    }
    output_bytes(out, suffix, strlen(suffix));
    output_char(out, '{');
    if (first)
        write_labels(lines);
    else
        repeat(out, lines->labels_at, lines->labels_size);
}

/* The same of a line without a label of the format's own, to the space behind it. */
static void begin_plain_line(struct lines *lines, const char *suffix)
{
    begin_line(lines, suffix);
    if (lines->labels_size != 0)
        output_char(lines->out, '}');
    else if (!lines->out->overflow)
        lines->out->used--; /* the brace: there is nothing in it */
    output_char(lines->out, ' ');
}

/* The same with such a label, to the quote before its value. */
static void begin_own_line(struct lines *lines, const char *suffix)
{
    begin_line(lines, suffix);
    if (lines->labels_size != 0)
        output_char(lines->out, ',');
    output_bytes(lines->out, lines->own_label, strlen(lines->own_label));
    output_literal(lines->out, "=\"");
}

static void end_line(const struct lines *lines)
{
    output_char(lines->out, ' ');
    number_int64(lines->out, lines->time_ms);
    output_char(lines->out, '\n');
}

/* --- samples ---------------------------------------------------------------------------------- */

static void write_number(struct lines *lines)
{
    const struct sample *sample = lines->sample;
    begin_plain_line(lines, "");
    if (sample->type == SAMPLE_INT64)
        number_int64(lines->out, sample->value.int64);
    else if (sample->type == SAMPLE_UINT64)
        number_uint64(lines->out, sample->value.uint64);
    else if (sample->type == SAMPLE_FLOAT && isfinite(sample->value.number))
        number_float(lines->out, (float)sample->value.number);
    else
        put_double(lines->out, sample->value.number);
    end_line(lines);
}

static void write_totals(struct lines *lines, const struct sample_totals *totals)
{
    if (totals->has_sum) {
        begin_plain_line(lines, "_sum");
        put_double(lines->out, totals->sum);
        end_line(lines);
    }
    begin_plain_line(lines, "_count");
    number_uint64(lines->out, totals->count);
    end_line(lines);
}

static void write_bucket(struct lines *lines, double bound, uint64_t count)
{
    begin_own_line(lines, "_bucket");
    put_double(lines->out, bound);
    output_literal(lines->out, "\"} ");
    number_uint64(lines->out, count);
    end_line(lines);
}

static void write_histogram(struct lines *lines, const struct sample_totals *totals)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    lines->own_label = "le";
    classic_buckets_begin(&walk, lines->sample);
    while (!lines->out->overflow && classic_buckets_next(&walk, &bucket))
        write_bucket(lines, bucket.bound, bucket.count);
    write_bucket(lines, (double)INFINITY, totals->count);
    write_totals(lines, totals);
}

static void write_summary(struct lines *lines, struct arena *scratch)
{
    const struct schema *schema = lines->record->schema;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample_quantile quantile;
    lines->own_label = "quantile";
    while (!lines->out->overflow && schema->ops->next_quantile(schema, lines->record->message,
                                                               lines->sample, &cursor, &quantile)) {
        begin_own_line(lines, "");
        put_double(lines->out, quantile.quantile);
        output_literal(lines->out, "\"} ");
        put_double(lines->out, quantile.value);
        end_line(lines);
    }
    write_totals(lines, &lines->sample->value.summary.totals);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    int64_t time_ns = sample->time_ns != 0 ? sample->time_ns : record->received_ns;
    struct lines lines = {.labels = &encoder->labels,
                          .record = record,
                          .sample = sample,
                          .out = out,
                          .time_ms = to_milliseconds(time_ns)};
    if (sample->type == SAMPLE_HISTOGRAM)
        write_histogram(&lines, &sample->value.histogram.totals);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        write_histogram(&lines, &sample->value.exponential_histogram.totals);
    else if (sample->type == SAMPLE_SUMMARY)
        write_summary(&lines, &encoder->scratch);
    else
        write_number(&lines);
    return lines.count;
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

static struct encoder *create(const struct encoder_options *options)
{
    return sample_encoder_create(&encoder_prometheus, sizeof(struct sample_encoder), options);
}

const struct encoder_ops encoder_prometheus = {
    .name = "prometheus",
    .needs_samples = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
};
