/*
 * The encoder `remote-write` makes requests of Prometheus' remote write, 1.0
 * (prometheus.WriteRequest) or 2.0 (io.prometheus.write.v2.Request), one for each block. Encoding
 * makes the values of each series (sinks/encoders/remote_write_sample.h), from which a request is
 * made.
 *
 * Names, labels and buckets are those of the format prometheus, unless histograms are native;
 * values are doubles. See sinks/README.md for the rest.
 */
#include <math.h>
#include <string.h>

#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/exposition.h"
#include "sinks/encoders/native_histogram.h"
#include "sinks/encoders/remote_write_exemplars.h"
#include "sinks/encoders/remote_write_number.h"
#include "sinks/encoders/remote_write_request.h"
#include "sinks/encoders/remote_write_sample.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/series_labels.h"
#include "sinks/encoders/wire_output.h"

struct remote_write {
    struct sample_encoder base;
    struct series_labels labels;
    struct remote_write_exemplars exemplars; /* of the current sample; empty unless requested */
};

/* The series of one sample. */
struct series {
    struct remote_write *encoder;
    const struct sample *sample;
    struct output *out;
    int64_t time_ms;
    int64_t start_ms; /* 0: unknown, or the value is not cumulative */
    enum remote_write_type type;
    size_t count; /* number of series so far */
};

/* --- values ----------------------------------------------------------------------------------- */

static void put_label(const struct text *name, const struct text *value, struct output *out)
{
    size_t label = wire_begin_message(out, SERIES_LABELS);
    wire_add_bytes_field(out, LABEL_NAME, name);
    wire_add_text_field(out, LABEL_VALUE, value);
    wire_end_message(out, label);
}

/* Appends the label with the name of the series: the metric's name in ASCII, and the suffix. */
static void put_metric_name(const struct series_pair *label, const char *suffix, struct output *out)
{
    size_t suffix_size = strlen(suffix);
    size_t begun = wire_begin_message(out, SERIES_LABELS);
    wire_add_bytes_field(out, LABEL_NAME, &label->name);
    wire_add_varint_field(out, LABEL_VALUE, label->value.size + suffix_size);
    output_bytes(out, label->value.data, label->value.size);
    output_bytes(out, suffix, suffix_size);
    wire_end_message(out, begun);
}

/*
 * Appends the labels of one series. `suffix` is added to the sample's name. `own` is the value of
 * the format's own label (`le` or `quantile`), or NULL to omit that label. Returns their number.
 */
static size_t put_labels(const struct series_labels *labels, const char *suffix,
                         const struct text *own, struct output *out)
{
    struct series_pair label;
    size_t at = 0;
    size_t put = 0;
    while (series_labels_next(labels, &at, &label)) {
        if (label.is_own && own == NULL)
            continue;
        if (label.is_name)
            put_metric_name(&label, suffix, out);
        else
            put_label(&label.name, label.is_own ? own : &label.value, out);
        put++;
    }
    return put;
}

/* A value that is being appended. */
struct entry {
    size_t start;
    struct remote_write_sample head;
};

static void begin_entry(struct entry *entry, struct series *series, const char *suffix,
                        const struct text *own)
{
    struct output *out = series->out;
    const struct sample *sample = series->sample;
    *entry = (struct entry){.start = out->used,
                            .head = {.time_ms = series->time_ms,
                                     .type = (uint16_t)series->type,
                                     .flags = series->count++ == 0 ? REMOTE_WRITE_FIRST : 0}};
    output_reserve(out, sizeof entry->head);
    entry->head.labels = (uint32_t)put_labels(&series->encoder->labels, suffix, own, out);
    entry->head.labels_size = (uint32_t)(out->used - entry->start - sizeof entry->head);
    wire_add_text_field(out, SAMPLE_UNIT, &sample->unit);
    if (sample->description.size != 0)
        wire_add_text_field(out, SAMPLE_HELP, &sample->description);
    if (series->start_ms != 0)
        wire_add_varint_field(out, SAMPLE_START, (uint64_t)series->start_ms);
}

/*
 * Ends a value, after appending the exemplars whose values are at most `bound` (NAN: all of them).
 */
static void end_entry(struct entry *entry, const struct series *series, double bound)
{
    struct output *out = series->out;
    remote_write_exemplars_put(&series->encoder->exemplars, bound, out);
    if (out->overflow)
        return;
    entry->head.size = (uint32_t)(out->used - entry->start);
    memcpy(out->data + entry->start, &entry->head, sizeof entry->head);
}

/* Returns the value to write. For a missing sample that is the marker that ends its series. */
static double value_of(const struct series *series, double value)
{
    return series->sample->missing ? remote_write_end() : remote_write_number(value);
}

/* Appends a value without exemplars. */
static void put_value(struct series *series, const char *suffix, const struct text *own,
                      double value)
{
    struct entry entry;
    begin_entry(&entry, series, suffix, own);
    entry.head.value = value_of(series, value);
    end_entry(&entry, series, -(double)INFINITY);
}

static double number_of(const struct sample *sample)
{
    if (sample->type == SAMPLE_INT64)
        return (double)sample->value.int64;
    if (sample->type == SAMPLE_UINT64)
        return (double)sample->value.uint64;
    return sample->value.number;
}

/* --- histograms and summaries ----------------------------------------------------------------- */

/* Returns the value of a numeric label, spelled as in the text format. */
#define NUMBER_TEXT 32

static struct text number_text(char text[NUMBER_TEXT], double number)
{
    struct output out = {.data = text, .capacity = NUMBER_TEXT};
    exposition_double(&out, number);
    return (struct text){text, out.used};
}

static void put_totals(struct series *series, const struct sample_totals *totals)
{
    if (totals->has_sum || series->sample->missing)
        put_value(series, "_sum", NULL, totals->sum);
    put_value(series, "_count", NULL, (double)totals->count);
}

/* Appends a bucket, with the exemplars that are not in a lower bucket. */
static void put_bucket(struct series *series, double bound, uint64_t count)
{
    char text[NUMBER_TEXT];
    const struct text own = number_text(text, bound);
    struct entry entry;
    begin_entry(&entry, series, "_bucket", &own);
    entry.head.value = value_of(series, (double)count);
    end_entry(&entry, series, bound);
}

static void put_classic(struct series *series, const struct sample_totals *totals)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    classic_buckets_begin(&walk, series->sample, series->encoder->base.buckets);
    while (!series->out->overflow && classic_buckets_next(&walk, &bucket))
        put_bucket(series, bucket.bound, bucket.count);
    put_bucket(series, (double)INFINITY, totals->count);
    put_totals(series, totals);
}

/* Appends the histogram as a native one, or nothing if it cannot be converted. */
static void put_native(struct series *series)
{
    struct output *out = series->out;
    struct sample_encoder *base = &series->encoder->base;
    struct entry entry;
    begin_entry(&entry, series, "", NULL);
    size_t histogram = wire_begin_message(out, SAMPLE_NATIVE);
    if (!native_histogram_put(series->sample, base->buckets, out)) {
        out->used = out->overflow ? out->used : entry.start;
        series->count = 0;
        base->left_out++;
        return;
    }
    wire_end_message(out, histogram);
    entry.head.flags |= REMOTE_WRITE_NATIVE;
    end_entry(&entry, series, (double)NAN);
}

static void put_histogram(struct series *series, bool native, const struct sample_totals *totals)
{
    if (native)
        put_native(series);
    else
        put_classic(series, totals);
}

static void put_quantile(struct series *series, double quantile, double value)
{
    char text[NUMBER_TEXT];
    const struct text own = number_text(text, quantile);
    put_value(series, "", &own, value);
}

static void put_summary(struct series *series, const struct record *record)
{
    const struct schema *schema = record->schema;
    struct schema_cursor cursor = {.scratch = &series->encoder->base.scratch};
    struct sample_quantile quantile;
    while (!series->out->overflow &&
           schema->ops->next_quantile(schema, record->message, series->sample, &cursor, &quantile))
        put_quantile(series, quantile.quantile, quantile.value);
    put_totals(series, &series->sample->value.summary.totals);
}

static void put_number(struct series *series)
{
    bool suffixes = series->encoder->base.counter_suffix;
    struct entry entry;
    begin_entry(&entry, series, suffixes ? exposition_suffix(series->sample) : "", NULL);
    entry.head.value = value_of(series, number_of(series->sample));
    end_entry(&entry, series, (double)NAN);
}

/* --- a sample --------------------------------------------------------------------------------- */

/* Returns the type of the sample's series. A sample that is or may be a delta has no type. */
static enum remote_write_type type_of(const struct sample *sample)
{
    bool cumulative = sample->temporality == SAMPLE_CUMULATIVE;
    switch (sample->type) {
    case SAMPLE_HISTOGRAM:
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
        return cumulative ? REMOTE_WRITE_HISTOGRAM : REMOTE_WRITE_GAUGEHISTOGRAM;
    case SAMPLE_SUMMARY:
        return REMOTE_WRITE_SUMMARY;
    default:
        if (sample->kind == SAMPLE_GAUGE)
            return REMOTE_WRITE_GAUGE;
        if (!cumulative)
            return REMOTE_WRITE_UNSPECIFIED;
        return sample->kind == SAMPLE_COUNTER ? REMOTE_WRITE_COUNTER : REMOTE_WRITE_GAUGE;
    }
}

static bool is_native(const struct sample_encoder *encoder, const struct sample *sample)
{
    return (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM && encoder->native != NATIVE_OFF) ||
           (sample->type == SAMPLE_HISTOGRAM && encoder->native == NATIVE_ALL);
}

static const char *own_label(enum remote_write_type type, bool native)
{
    if (type == REMOTE_WRITE_SUMMARY)
        return "quantile";
    bool histogram = type == REMOTE_WRITE_HISTOGRAM || type == REMOTE_WRITE_GAUGEHISTOGRAM;
    return histogram && !native ? "le" : NULL;
}

/* Returns the start time of a cumulative value, or 0 if it has none. */
static int64_t start_of(const struct series *series)
{
    int64_t start_ms = remote_write_milliseconds(series->sample->start_time_ns);
    bool adds_up = series->type != REMOTE_WRITE_GAUGE && !series->sample->missing;
    return adds_up && start_ms > 0 && start_ms <= series->time_ms ? start_ms : 0;
}

/*
 * A summary and a missing sample have no exemplars, because these would belong to none of their
 * series.
 */
static void begin_exemplars(struct remote_write *encoder, const struct record *record,
                            const struct sample *sample, int64_t time_ns, struct output *out)
{
    encoder->exemplars.count = encoder->exemplars.next = 0;
    if (encoder->base.exemplars && sample->type != SAMPLE_SUMMARY && !sample->missing)
        remote_write_exemplars_begin(&encoder->exemplars, &encoder->base.labels, record, sample,
                                     time_ns, out);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct remote_write *remote_write = (struct remote_write *)encoder;
    int64_t time_ns = sample->time_ns != 0 ? sample->time_ns : record->received_ns;
    bool native = is_native(encoder, sample);
    struct series series = {.encoder = remote_write,
                            .sample = sample,
                            .out = out,
                            .time_ms = remote_write_milliseconds(time_ns),
                            .type = type_of(sample)};
    series.start_ms = start_of(&series);
    series_labels_prepare(&remote_write->labels, &encoder->labels, record, sample,
                          own_label(series.type, native), out);
    encoder->joined += remote_write->labels.joined;
    begin_exemplars(remote_write, record, sample, time_ns, out);
    if (sample->type == SAMPLE_HISTOGRAM)
        put_histogram(&series, native, &sample->value.histogram.totals);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        put_histogram(&series, native, &sample->value.exponential_histogram.totals);
    else if (sample->type == SAMPLE_SUMMARY)
        put_summary(&series, record);
    else
        put_number(&series);
    return series.count;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)listener;
    struct remote_write *remote_write = (struct remote_write *)encoder;
    sample_encoder_begin_record(&remote_write->base);
    return sample_encoder_write(&remote_write->base, record, write_sample, out);
}

static struct encoder *create(const struct encoder_options *options)
{
    struct remote_write *made = sample_encoder_create(&encoder_remote_write, sizeof *made, options);
    if (made == NULL)
        return NULL;
    made->base.missing = true;
    series_labels_init(&made->labels, &made->base.scratch);
    return &made->base.encoder;
}

static const struct request_shape shapes[] = {
    [REMOTE_WRITE_1] = {.content_type = "application/x-protobuf",
                        .content_encoding = "snappy",
                        .header = "X-Prometheus-Remote-Write-Version: 0.1.0"},
    [REMOTE_WRITE_2] = {.content_type =
                            "application/x-protobuf;proto=io.prometheus.write.v2.Request",
                        .content_encoding = "snappy",
                        .header = "X-Prometheus-Remote-Write-Version: 2.0.0"},
};

static const struct encoder_request request = {
    .shapes = shapes,
    .shape_count = sizeof shapes / sizeof shapes[0],
    .scratch = remote_write_scratch,
    .bound = remote_write_bound,
    .write = remote_write_request,
};

const struct encoder_ops encoder_remote_write = {
    .name = "remote-write",
    .needs_samples = true,
    .has_buckets = true,
    .has_suffixes = true,
    .has_native = true,
    .binary = true,
    .overwrites = true,
    .requests_alone = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .request = &request,
};
