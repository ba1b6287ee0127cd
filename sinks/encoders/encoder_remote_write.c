/*
 * remote-write: requests of Prometheus' remote write, 1.0 (prometheus.WriteRequest) or 2.0
 * (io.prometheus.write.v2.Request), one for each block. Encoding makes the values of each series
 * (sinks/encoders/remote_write_sample.h), from which a request is made.
 *
 * Names, labels and buckets are those of the format prometheus; values are doubles. See
 * sinks/README.md for the rest.
 */
#include <math.h>
#include <string.h>

#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/exposition.h"
#include "sinks/encoders/remote_write_labels.h"
#include "sinks/encoders/remote_write_request.h"
#include "sinks/encoders/remote_write_sample.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/wire_output.h"

/*
 * The names of a sample's labels, and generated values, use the end of the scratch memory: all
 * names that fit in a datagram fit. The rest is for texts under construction (sample_encoder.c).
 */
#define TEXTS_SIZE ((size_t)128 * 1024)
_Static_assert(ENCODER_SCRATCH_SIZE - TEXTS_SIZE >= (size_t)6 * 65536, "the rest is enough");

struct remote_write {
    struct sample_encoder base;
    struct remote_write_labels labels;
};

/* The series of one sample. */
struct series {
    struct remote_write *encoder;
    const struct sample *sample;
    struct output *out;
    int64_t time_ms;
    enum remote_write_type type;
    size_t count; /* so far */
};

/* --- values ----------------------------------------------------------------------------------- */

/*
 * Replaces NaN by the NaN that Prometheus stores as an ordinary value, because another bit pattern
 * of NaN means that a series has ended.
 */
static double ordinary(double value)
{
    const uint64_t not_a_number = UINT64_C(0x7ff8000000000001);
    if (isnan(value))
        memcpy(&value, &not_a_number, sizeof value);
    return value;
}

static void put_value(struct series *series, const char *suffix, const struct text *own,
                      double value)
{
    struct output *out = series->out;
    struct remote_write_sample head = {.time_ms = series->time_ms,
                                       .value = ordinary(value),
                                       .type = (uint16_t)series->type,
                                       .first = series->count++ == 0};
    const struct text *unit = &series->sample->unit;
    size_t start = out->used;
    output_reserve(out, sizeof head);
    head.labels = (uint32_t)remote_write_labels_put(&series->encoder->labels, suffix, own, out);
    size_t labels_end = out->used;
    wire_add_text_field(out, SAMPLE_UNIT, unit);
    if (out->overflow)
        return;
    head.labels_size = (uint32_t)(labels_end - start - sizeof head);
    head.size = (uint32_t)(out->used - start);
    memcpy(out->data + start, &head, sizeof head);
}

static double number_of(const struct sample *sample)
{
    if (sample->type == SAMPLE_INT64)
        return (double)sample->value.int64;
    if (sample->type == SAMPLE_UINT64)
        return (double)sample->value.uint64;
    return sample->value.number;
}

/* The value of a numeric label, as in the text format. */
#define NUMBER_TEXT 32

static void put_labelled(struct series *series, const char *suffix, double label, double value)
{
    char text[NUMBER_TEXT];
    struct output number = {.data = text, .capacity = sizeof text};
    exposition_double(&number, label);
    const struct text own = {text, number.used};
    put_value(series, suffix, &own, value);
}

static void put_totals(struct series *series, const struct sample_totals *totals)
{
    if (totals->has_sum)
        put_value(series, "_sum", NULL, totals->sum);
    put_value(series, "_count", NULL, (double)totals->count);
}

static void put_histogram(struct series *series, const struct sample_totals *totals)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    classic_buckets_begin(&walk, series->sample, series->encoder->base.buckets);
    while (!series->out->overflow && classic_buckets_next(&walk, &bucket))
        put_labelled(series, "_bucket", bucket.bound, (double)bucket.count);
    put_labelled(series, "_bucket", (double)INFINITY, (double)totals->count);
    put_totals(series, totals);
}

static void put_summary(struct series *series, const struct record *record)
{
    const struct schema *schema = record->schema;
    struct schema_cursor cursor = {.scratch = &series->encoder->base.scratch};
    struct sample_quantile quantile;
    while (!series->out->overflow &&
           schema->ops->next_quantile(schema, record->message, series->sample, &cursor, &quantile))
        put_labelled(series, "", quantile.quantile, quantile.value);
    put_totals(series, &series->sample->value.summary.totals);
}

/* --- a sample --------------------------------------------------------------------------------- */

/* Returns the type of a sample. A sample that is a delta, or may be one, has no type. */
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

static const char *own_label(enum remote_write_type type)
{
    if (type == REMOTE_WRITE_SUMMARY)
        return "quantile";
    return type == REMOTE_WRITE_HISTOGRAM || type == REMOTE_WRITE_GAUGEHISTOGRAM ? "le" : NULL;
}

static int64_t milliseconds(int64_t time_ns)
{
    return time_ns / 1000000 - (time_ns % 1000000 < 0);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct remote_write *remote_write = (struct remote_write *)encoder;
    struct series series = {
        .encoder = remote_write,
        .sample = sample,
        .out = out,
        .time_ms = milliseconds(sample->time_ns != 0 ? sample->time_ns : record->received_ns),
        .type = type_of(sample)};
    remote_write_labels_prepare(&remote_write->labels, &encoder->labels, record, sample,
                                own_label(series.type), out);
    if (sample->type == SAMPLE_HISTOGRAM)
        put_histogram(&series, &sample->value.histogram.totals);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        put_histogram(&series, &sample->value.exponential_histogram.totals);
    else if (sample->type == SAMPLE_SUMMARY)
        put_summary(&series, record);
    else
        put_value(&series, encoder->counter_suffix ? exposition_suffix(sample) : "", NULL,
                  number_of(sample));
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
    made->base.scratch.capacity -= TEXTS_SIZE;
    made->labels.texts = (struct output){
        .data = (char *)made->base.scratch.base + made->base.scratch.capacity,
        .capacity = TEXTS_SIZE,
    };
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
    .binary = true,
    .overwrites = true,
    .requests_alone = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .request = &request,
};
