#include "sinks/encoders/otlp_point.h"

#include <string.h>

#include "sinks/encoders/wire_output.h"

/* --- fields, by the messages that have them --------------------------------------------------- */

enum {
    METRIC_NAME = WIRE_TAG(1, WIRE_LENGTH),
    METRIC_UNIT = WIRE_TAG(3, WIRE_LENGTH),
    METRIC_GAUGE = WIRE_TAG(5, WIRE_LENGTH),
    METRIC_SUM = WIRE_TAG(7, WIRE_LENGTH),
    METRIC_HISTOGRAM = WIRE_TAG(9, WIRE_LENGTH),
    METRIC_EXPONENTIAL_HISTOGRAM = WIRE_TAG(10, WIRE_LENGTH),
    METRIC_SUMMARY = WIRE_TAG(11, WIRE_LENGTH),

    DATA_POINTS = WIRE_TAG(1, WIRE_LENGTH), /* in all of these messages */
    DATA_TEMPORALITY = WIRE_TAG(2, WIRE_VARINT),
    SUM_IS_MONOTONIC = WIRE_TAG(3, WIRE_VARINT),
};

enum {
    POINT_START = WIRE_TAG(2, WIRE_FIXED64), /* of all types of points */
    POINT_TIME = WIRE_TAG(3, WIRE_FIXED64),
    POINT_COUNT = WIRE_TAG(4, WIRE_FIXED64), /* of all types except number */
    POINT_SUM = WIRE_TAG(5, WIRE_FIXED64),

    NUMBER_DOUBLE = WIRE_TAG(4, WIRE_FIXED64),
    NUMBER_EXEMPLARS = WIRE_TAG(5, WIRE_LENGTH),
    NUMBER_INT = WIRE_TAG(6, WIRE_FIXED64),
    NUMBER_ATTRIBUTES = WIRE_TAG(7, WIRE_LENGTH),

    HISTOGRAM_COUNTS = WIRE_TAG(6, WIRE_LENGTH),
    HISTOGRAM_BOUNDS = WIRE_TAG(7, WIRE_LENGTH),
    HISTOGRAM_EXEMPLARS = WIRE_TAG(8, WIRE_LENGTH),
    HISTOGRAM_ATTRIBUTES = WIRE_TAG(9, WIRE_LENGTH),
    HISTOGRAM_MIN = WIRE_TAG(11, WIRE_FIXED64),
    HISTOGRAM_MAX = WIRE_TAG(12, WIRE_FIXED64),

    EXPONENTIAL_ATTRIBUTES = WIRE_TAG(1, WIRE_LENGTH),
    EXPONENTIAL_SCALE = WIRE_TAG(6, WIRE_VARINT),
    EXPONENTIAL_ZERO_COUNT = WIRE_TAG(7, WIRE_FIXED64),
    EXPONENTIAL_POSITIVE = WIRE_TAG(8, WIRE_LENGTH),
    EXPONENTIAL_NEGATIVE = WIRE_TAG(9, WIRE_LENGTH),
    EXPONENTIAL_EXEMPLARS = WIRE_TAG(11, WIRE_LENGTH),
    EXPONENTIAL_MIN = WIRE_TAG(12, WIRE_FIXED64),
    EXPONENTIAL_MAX = WIRE_TAG(13, WIRE_FIXED64),
    EXPONENTIAL_THRESHOLD = WIRE_TAG(14, WIRE_FIXED64),
    BUCKETS_OFFSET = WIRE_TAG(1, WIRE_VARINT),
    BUCKETS_COUNTS = WIRE_TAG(2, WIRE_LENGTH),

    SUMMARY_QUANTILES = WIRE_TAG(6, WIRE_LENGTH),
    SUMMARY_ATTRIBUTES = WIRE_TAG(7, WIRE_LENGTH),
    QUANTILE = WIRE_TAG(1, WIRE_FIXED64),
    QUANTILE_VALUE = WIRE_TAG(2, WIRE_FIXED64),
};

enum {
    EXEMPLAR_TIME = WIRE_TAG(2, WIRE_FIXED64),
    EXEMPLAR_DOUBLE = WIRE_TAG(3, WIRE_FIXED64),
    EXEMPLAR_SPAN_ID = WIRE_TAG(4, WIRE_LENGTH),
    EXEMPLAR_TRACE_ID = WIRE_TAG(5, WIRE_LENGTH),
    EXEMPLAR_INT = WIRE_TAG(6, WIRE_FIXED64),
    EXEMPLAR_ATTRIBUTES = WIRE_TAG(7, WIRE_LENGTH),

    ATTRIBUTE_KEY = WIRE_TAG(1, WIRE_LENGTH),
    ATTRIBUTE_VALUE = WIRE_TAG(2, WIRE_LENGTH),
    VALUE_STRING = WIRE_TAG(1, WIRE_LENGTH),
};

_Static_assert((int)NUMBER_ATTRIBUTES == (int)SUMMARY_ATTRIBUTES &&
                   (int)NUMBER_ATTRIBUTES == (int)EXEMPLAR_ATTRIBUTES,
               "labels of numbers and of summaries are written alike");

/* Values of AggregationTemporality. */
enum { TEMPORALITY_UNSPECIFIED, TEMPORALITY_DELTA, TEMPORALITY_CUMULATIVE };

/* The point that is being written. */
struct point {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    struct output *out;
};

/* --- attributes ------------------------------------------------------------------------------- */

/* Appends a label as an attribute, and removes it again if its key occurred before. */
static void put_attribute(struct sample_labels *labels, const struct label *label, uint32_t tag,
                          struct output *out)
{
    size_t start = out->used;
    size_t attribute = wire_begin_message(out, tag);
    size_t key = out->used;
    wire_add_text_field(out, ATTRIBUTE_KEY, &label->key);
    size_t key_end = out->used;
    size_t value = wire_begin_message(out, ATTRIBUTE_VALUE);
    wire_add_text_field(out, VALUE_STRING, &label->value);
    wire_end_message(out, value);
    size_t size = out->used - attribute;
    wire_end_message(out, attribute);
    if (out->overflow)
        return;
    size_t moved = out->used - attribute - size;
    if (!sample_labels_keep(labels, key + moved, key_end - key, out))
        out->used = start;
}

/*
 * Copies this attribute and all following ones from an earlier sample (sample_labels_repeat).
 * Returns false if that is not possible. The copy contains the tags between the attributes, so both
 * samples must use the same tag; only that of numbers, the most frequent samples, is supported. The
 * first attribute's tag is not in the copy.
 */
static bool repeat_attributes(struct sample_labels *labels, const struct label *label, uint32_t tag,
                              struct output *out)
{
    if (label->shared == NULL || tag != NUMBER_ATTRIBUTES)
        return false;
    bool first = labels->count == 0;
    if (first)
        output_char(out, (char)tag);
    if (out->overflow)
        return false;
    if (sample_labels_repeat(labels, label, (char)tag, out))
        return true;
    if (first)
        out->used--;
    return false;
}

/* Omits labels without a key, which OTLP does not allow. */
static void put_attributes(struct sample_labels *labels, uint32_t tag, struct output *out)
{
    struct label label;
    while (sample_labels_next(labels, &label, out)) {
        if (label.key.size == 0)
            continue;
        if (repeat_attributes(labels, &label, tag, out))
            break;
        put_attribute(labels, &label, tag, out);
    }
    sample_labels_remember(labels, out);
}

static void put_labels(struct point *point, uint32_t tag)
{
    sample_labels_begin(point->labels, point->record, point->sample, NULL);
    put_attributes(point->labels, tag, point->out);
}

/* --- fields that all points have -------------------------------------------------------------- */

static void put_time(struct output *out, uint32_t tag, int64_t time_ns)
{
    if (time_ns > 0)
        wire_add_fixed64_field(out, tag, (uint64_t)time_ns);
}

static void put_times(const struct point *point)
{
    const struct sample *sample = point->sample;
    put_time(point->out, POINT_START, sample->start_time_ns);
    put_time(point->out, POINT_TIME,
             sample->time_ns != 0 ? sample->time_ns : point->record->received_ns);
}

static void put_exemplar(struct point *point, const struct sample_exemplar *exemplar, uint32_t tag)
{
    struct output *out = point->out;
    size_t begun = wire_begin_message(out, tag);
    put_time(out, EXEMPLAR_TIME, exemplar->time_ns);
    if (exemplar->type == SAMPLE_DOUBLE)
        wire_add_double_field(out, EXEMPLAR_DOUBLE, exemplar->value.number);
    if (exemplar->span_id.size != 0)
        wire_add_bytes_field(out, EXEMPLAR_SPAN_ID, &exemplar->span_id);
    if (exemplar->trace_id.size != 0)
        wire_add_bytes_field(out, EXEMPLAR_TRACE_ID, &exemplar->trace_id);
    if (exemplar->type == SAMPLE_INT64)
        wire_add_fixed64_field(out, EXEMPLAR_INT, (uint64_t)exemplar->value.int64);
    sample_labels_begin(point->labels, point->record, point->sample, exemplar);
    put_attributes(point->labels, EXEMPLAR_ATTRIBUTES, out);
    wire_end_message(out, begun);
}

static void put_exemplars(struct point *point, uint32_t tag)
{
    const struct schema *schema = point->record->schema;
    struct schema_cursor cursor = {.scratch = point->labels->scratch};
    struct sample_exemplar exemplar;
    if (schema->ops->next_exemplar == NULL)
        return;
    while (!point->out->overflow && schema->ops->next_exemplar(schema, point->record->message,
                                                               point->sample, &cursor, &exemplar))
        put_exemplar(point, &exemplar, tag);
}

/* Omits a field with its default value, whose bits are all 0. */
static void put_fixed64(const struct point *point, uint32_t tag, uint64_t value)
{
    if (value != 0)
        wire_add_fixed64_field(point->out, tag, value);
}

static void put_double(const struct point *point, uint32_t tag, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits); /* -0.0 is not all 0 */
    put_fixed64(point, tag, bits);
}

static void put_signed32(const struct point *point, uint32_t tag, int32_t value)
{
    if (value != 0)
        wire_add_varint_field(point->out, tag, wire_zigzag32(value));
}

static void put_totals(const struct point *point, const struct sample_totals *totals)
{
    put_fixed64(point, POINT_COUNT, totals->count);
    if (totals->has_sum)
        wire_add_double_field(point->out, POINT_SUM, totals->sum);
}

static void put_limits(const struct point *point, const struct sample_totals *totals, uint32_t min,
                       uint32_t max)
{
    if (totals->has_min)
        wire_add_double_field(point->out, min, totals->min);
    if (totals->has_max)
        wire_add_double_field(point->out, max, totals->max);
}

/* --- points, their fields in the order of their numbers --------------------------------------- */

static bool is_integer(const struct sample *sample)
{
    return sample->type == SAMPLE_INT64 ||
           (sample->type == SAMPLE_UINT64 && sample->value.uint64 <= INT64_MAX);
}

static double double_of(const struct sample *sample)
{
    return sample->type == SAMPLE_UINT64 ? (double)sample->value.uint64 : sample->value.number;
}

static uint64_t integer_of(const struct sample *sample)
{
    return sample->type == SAMPLE_UINT64 ? sample->value.uint64 : (uint64_t)sample->value.int64;
}

static void put_number(struct point *point)
{
    const struct sample *sample = point->sample;
    bool integer = is_integer(sample);
    put_times(point);
    if (!integer)
        wire_add_double_field(point->out, NUMBER_DOUBLE, double_of(sample));
    put_exemplars(point, NUMBER_EXEMPLARS);
    if (integer)
        wire_add_fixed64_field(point->out, NUMBER_INT, integer_of(sample));
    put_labels(point, NUMBER_ATTRIBUTES);
}

static void put_histogram(struct point *point)
{
    const struct sample_histogram *histogram = &point->sample->value.histogram;
    struct output *out = point->out;
    put_times(point);
    put_totals(point, &histogram->totals);
    if (histogram->count_count != 0) {
        size_t counts = wire_begin_message(out, HISTOGRAM_COUNTS);
        for (size_t i = 0; i < histogram->count_count; i++)
            wire_add_fixed64(out, histogram->counts[i]);
        wire_end_message(out, counts);
    }
    if (histogram->bound_count != 0) {
        size_t bounds = wire_begin_message(out, HISTOGRAM_BOUNDS);
        for (size_t i = 0; i < histogram->bound_count; i++)
            wire_add_double(out, histogram->bounds[i]);
        wire_end_message(out, bounds);
    }
    put_exemplars(point, HISTOGRAM_EXEMPLARS);
    put_labels(point, HISTOGRAM_ATTRIBUTES);
    put_limits(point, &histogram->totals, HISTOGRAM_MIN, HISTOGRAM_MAX);
}

static void put_buckets(const struct point *point, uint32_t tag,
                        const struct sample_buckets *buckets)
{
    struct output *out = point->out;
    if (buckets->count_count == 0 && buckets->offset == 0)
        return;
    size_t begun = wire_begin_message(out, tag);
    put_signed32(point, BUCKETS_OFFSET, buckets->offset);
    if (buckets->count_count != 0) {
        size_t counts = wire_begin_message(out, BUCKETS_COUNTS);
        for (size_t i = 0; i < buckets->count_count; i++)
            wire_add_varint(out, buckets->counts[i]);
        wire_end_message(out, counts);
    }
    wire_end_message(out, begun);
}

static void put_exponential_histogram(struct point *point)
{
    const struct sample_exponential_histogram *histogram =
        &point->sample->value.exponential_histogram;
    put_labels(point, EXPONENTIAL_ATTRIBUTES);
    put_times(point);
    put_totals(point, &histogram->totals);
    put_signed32(point, EXPONENTIAL_SCALE, histogram->scale);
    put_fixed64(point, EXPONENTIAL_ZERO_COUNT, histogram->zero_count);
    put_buckets(point, EXPONENTIAL_POSITIVE, &histogram->positive);
    put_buckets(point, EXPONENTIAL_NEGATIVE, &histogram->negative);
    put_exemplars(point, EXPONENTIAL_EXEMPLARS);
    put_limits(point, &histogram->totals, EXPONENTIAL_MIN, EXPONENTIAL_MAX);
    put_double(point, EXPONENTIAL_THRESHOLD, histogram->zero_threshold);
}

static void put_summary(struct point *point)
{
    const struct schema *schema = point->record->schema;
    const struct sample_totals *totals = &point->sample->value.summary.totals;
    struct schema_cursor cursor = {.scratch = point->labels->scratch};
    struct sample_quantile quantile;
    struct output *out = point->out;
    put_times(point);
    put_fixed64(point, POINT_COUNT, totals->count);
    put_double(point, POINT_SUM, totals->sum);
    while (!out->overflow && schema->ops->next_quantile(schema, point->record->message,
                                                        point->sample, &cursor, &quantile)) {
        size_t begun = wire_begin_message(out, SUMMARY_QUANTILES);
        put_double(point, QUANTILE, quantile.quantile);
        put_double(point, QUANTILE_VALUE, quantile.value);
        wire_end_message(out, begun);
    }
    put_labels(point, SUMMARY_ATTRIBUTES);
}

/* --- the metric ------------------------------------------------------------------------------- */

typedef void point_writer(struct point *point);

static void put_temporality(struct output *out, enum sample_temporality temporality)
{
    static const uint8_t of[] = {
        [SAMPLE_NO_TEMPORALITY] = TEMPORALITY_UNSPECIFIED,
        [SAMPLE_CUMULATIVE] = TEMPORALITY_CUMULATIVE,
        [SAMPLE_DELTA] = TEMPORALITY_DELTA,
    };
    if (of[temporality] != TEMPORALITY_UNSPECIFIED)
        wire_add_varint_field(out, DATA_TEMPORALITY, of[temporality]);
}

static void put_data(struct point *point, uint32_t tag, point_writer *put)
{
    struct output *out = point->out;
    bool aggregated = tag != METRIC_GAUGE && tag != METRIC_SUMMARY;
    size_t data = wire_begin_message(out, tag);
    size_t begun = wire_begin_message(out, DATA_POINTS);
    put(point);
    wire_end_message(out, begun);
    if (aggregated)
        put_temporality(out, point->sample->temporality);
    if (tag == METRIC_SUM && point->sample->kind == SAMPLE_COUNTER)
        wire_add_varint_field(out, SUM_IS_MONOTONIC, 1);
    wire_end_message(out, data);
}

void otlp_metric_put(struct sample_labels *labels, const struct record *record,
                     const struct sample *sample, struct output *out)
{
    static const struct text nameless = {"_", 1};
    struct point point = {.labels = labels, .record = record, .sample = sample, .out = out};
    wire_add_text_field(out, METRIC_NAME, sample->name.size == 0 ? &nameless : &sample->name);
    if (sample->unit.size != 0)
        wire_add_text_field(out, METRIC_UNIT, &sample->unit);
    if (sample->type == SAMPLE_HISTOGRAM)
        put_data(&point, METRIC_HISTOGRAM, put_histogram);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        put_data(&point, METRIC_EXPONENTIAL_HISTOGRAM, put_exponential_histogram);
    else if (sample->type == SAMPLE_SUMMARY)
        put_data(&point, METRIC_SUMMARY, put_summary);
    else
        put_data(&point, sample->kind == SAMPLE_GAUGE ? METRIC_GAUGE : METRIC_SUM, put_number);
}
