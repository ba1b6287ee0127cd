/*
 * The schema `otlp`, for OTLP's metrics: a datagram contains an ExportMetricsServiceRequest. Each
 * data point is a sample, unless it has no value or the flag for a missing value.
 */
#include "proto/otlp/schema_otlp.h"

#include <string.h>

#include "proto/message_schema.h"
#include "proto/otlp/otlp_identifiers.h"
#include "proto/sample_time.h"
#include "proto/schemas.h"

#define NO_RECORDED_VALUE                                                                          \
    OPENTELEMETRY__PROTO__METRICS__V1__DATA_POINT_FLAGS__DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK

extern const unsigned char otlp_metrics_service_set[];
extern const size_t otlp_metrics_service_set_size;

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has no options except its name */
    static const struct compiled_proto from = {
        otlp_metrics_service_set, &otlp_metrics_service_set_size,
        &opentelemetry__proto__collector__metrics__v1__export_metrics_service_request__descriptor,
        otlp_identifiers, OTLP_IDENTIFIERS};
    return message_schema_create(&schema_otlp, &from, out, error);
}

/* --- a point's value -------------------------------------------------------------------------- */

/*
 * Reads the fields that all types of points have. Returns false if a flag states that the point has
 * no value, unless the caller requests these points, too (to->missing).
 */
static bool read_frame(uint64_t start, uint64_t time, uint32_t flags, struct sample *to)
{
    bool wanted = to->missing;
    to->start_time_ns = sample_time_unsigned(start);
    to->time_ns = sample_time_unsigned(time);
    to->missing = (flags & NO_RECORDED_VALUE) != 0;
    return !to->missing || wanted;
}

#define READ_FRAME(point, to)                                                                      \
    read_frame((point)->start_time_unix_nano, (point)->time_unix_nano, (point)->flags, (to))

static bool read_number(const OtlpNumber *from, struct sample *to)
{
    switch (from->value_case) {
    case OPENTELEMETRY__PROTO__METRICS__V1__NUMBER_DATA_POINT__VALUE_AS_DOUBLE:
        to->type = SAMPLE_DOUBLE;
        to->value.number = from->as_double;
        break;
    case OPENTELEMETRY__PROTO__METRICS__V1__NUMBER_DATA_POINT__VALUE_AS_INT:
        to->type = SAMPLE_INT64;
        to->value.int64 = from->as_int;
        break;
    default:
        return (from->flags & NO_RECORDED_VALUE) != 0 && READ_FRAME(from, to);
    }
    return READ_FRAME(from, to);
}

/* Reads the fields that both kinds of histograms have. */
#define READ_TOTALS(from)                                                                          \
    ((struct sample_totals){                                                                       \
        .count = (from)->count,                                                                    \
        .has_sum = (from)->has_sum_case != 0,                                                      \
        .has_min = (from)->has_min_case != 0,                                                      \
        .has_max = (from)->has_max_case != 0,                                                      \
        .sum = (from)->has_sum_case != 0 ? (from)->sum : 0,                                        \
        .min = (from)->has_min_case != 0 ? (from)->min : 0,                                        \
        .max = (from)->has_max_case != 0 ? (from)->max : 0,                                        \
    })

static bool read_histogram(const OtlpHistogram *from, struct sample *to)
{
    to->type = SAMPLE_HISTOGRAM;
    to->value.histogram = (struct sample_histogram){
        .totals = READ_TOTALS(from),
        .bounds = from->explicit_bounds,
        .bound_count = from->n_explicit_bounds,
        .counts = from->bucket_counts,
        .count_count = from->n_bucket_counts,
    };
    return READ_FRAME(from, to);
}

static struct sample_buckets
read_buckets(const Opentelemetry__Proto__Metrics__V1__ExponentialHistogramDataPoint__Buckets *from)
{
    if (from == NULL)
        return (struct sample_buckets){0};
    return (struct sample_buckets){from->offset, from->bucket_counts, from->n_bucket_counts};
}

static bool read_exponential(const OtlpExponential *from, struct sample *to)
{
    to->type = SAMPLE_EXPONENTIAL_HISTOGRAM;
    to->value.exponential_histogram = (struct sample_exponential_histogram){
        .totals = READ_TOTALS(from),
        .scale = from->scale,
        .zero_count = from->zero_count,
        .zero_threshold = from->zero_threshold,
        .positive = read_buckets(from->positive),
        .negative = read_buckets(from->negative),
    };
    return READ_FRAME(from, to);
}

static bool read_summary(const OtlpSummary *from, struct sample *to)
{
    to->type = SAMPLE_SUMMARY;
    to->value.summary.totals =
        (struct sample_totals){.count = from->count, .has_sum = true, .sum = from->sum};
    return READ_FRAME(from, to);
}

/* Values of a newer version of OTLP count as not given. */
static enum sample_temporality
read_temporality(Opentelemetry__Proto__Metrics__V1__AggregationTemporality from)
{
    switch (from) {
    case OPENTELEMETRY__PROTO__METRICS__V1__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_DELTA:
        return SAMPLE_DELTA;
    case OPENTELEMETRY__PROTO__METRICS__V1__AGGREGATION_TEMPORALITY__AGGREGATION_TEMPORALITY_CUMULATIVE:
        return SAMPLE_CUMULATIVE;
    default:
        return SAMPLE_NO_TEMPORALITY;
    }
}

/* Returns false if the point has no value. */
static bool read_point(const OtlpMetric *metric, size_t index, struct sample *to)
{
    switch (metric->data_case) {
    case OTLP_DATA_IS(GAUGE):
        to->kind = SAMPLE_GAUGE;
        return read_number(metric->gauge->data_points[index], to);
    case OTLP_DATA_IS(SUM):
        to->kind = metric->sum->is_monotonic != 0 ? SAMPLE_COUNTER : SAMPLE_UPDOWN_COUNTER;
        to->temporality = read_temporality(metric->sum->aggregation_temporality);
        return read_number(metric->sum->data_points[index], to);
    case OTLP_DATA_IS(HISTOGRAM):
        to->temporality = read_temporality(metric->histogram->aggregation_temporality);
        return read_histogram(metric->histogram->data_points[index], to);
    case OTLP_DATA_IS(EXPONENTIAL_HISTOGRAM):
        to->temporality = read_temporality(metric->exponential_histogram->aggregation_temporality);
        return read_exponential(metric->exponential_histogram->data_points[index], to);
    case OTLP_DATA_IS(SUMMARY):
        return read_summary(metric->summary->data_points[index], to);
    default:
        return false;
    }
}

/* --- walks ------------------------------------------------------------------------------------ */

static bool next_of_metric(const OtlpMetric *metric, struct schema_cursor *cursor,
                           struct sample *sample)
{
    size_t count = otlp_point_count(metric);
    while (cursor->index < count) {
        *sample = (struct sample){.name = text_of(metric->name),
                                  .unit = text_of(metric->unit),
                                  .description = text_of(metric->description),
                                  .missing = cursor->missing,
                                  .index = cursor->index++};
        memcpy(sample->outer, cursor->outer, sizeof sample->outer);
        if (read_point(metric, sample->index, sample))
            return true;
    }
    return false;
}

static bool next_of_scope(const OtlpScopeMetrics *scope, struct schema_cursor *cursor,
                          struct sample *sample)
{
    for (; cursor->outer[OUTER_METRIC] < scope->n_metrics; cursor->outer[OUTER_METRIC]++) {
        if (next_of_metric(scope->metrics[cursor->outer[OUTER_METRIC]], cursor, sample))
            return true;
        cursor->index = 0;
    }
    return false;
}

static bool next_of_resource(const OtlpResourceMetrics *resource, struct schema_cursor *cursor,
                             struct sample *sample)
{
    for (; cursor->outer[OUTER_SCOPE] < resource->n_scope_metrics; cursor->outer[OUTER_SCOPE]++) {
        if (next_of_scope(resource->scope_metrics[cursor->outer[OUTER_SCOPE]], cursor, sample))
            return true;
        cursor->outer[OUTER_METRIC] = 0;
    }
    return false;
}

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    (void)schema;
    const OtlpRequest *request = message;
    for (; cursor->outer[OUTER_RESOURCE] < request->n_resource_metrics;
         cursor->outer[OUTER_RESOURCE]++) {
        if (next_of_resource(request->resource_metrics[cursor->outer[OUTER_RESOURCE]], cursor,
                             sample))
            return true;
        cursor->outer[OUTER_SCOPE] = 0;
    }
    return false;
}

static bool next_quantile(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_quantile *quantile)
{
    (void)schema;
    const OtlpMetric *metric = otlp_origin_of(message, sample).metric;
    const OtlpSummary *summary = metric->summary->data_points[sample->index];
    if (cursor->index >= summary->n_quantile_values)
        return false;
    const Opentelemetry__Proto__Metrics__V1__SummaryDataPoint__ValueAtQuantile *from =
        summary->quantile_values[cursor->index++];
    *quantile = (struct sample_quantile){from->quantile, from->value};
    return true;
}

static bool read_exemplar(const OtlpExemplar *from, struct sample_exemplar *to)
{
    switch (from->value_case) {
    case OPENTELEMETRY__PROTO__METRICS__V1__EXEMPLAR__VALUE_AS_DOUBLE:
        to->type = SAMPLE_DOUBLE;
        to->value.number = from->as_double;
        break;
    case OPENTELEMETRY__PROTO__METRICS__V1__EXEMPLAR__VALUE_AS_INT:
        to->type = SAMPLE_INT64;
        to->value.int64 = from->as_int;
        break;
    default:
        return false;
    }
    to->time_ns = sample_time_unsigned(from->time_unix_nano);
    to->trace_id = text_of(from->trace_id);
    to->span_id = text_of(from->span_id);
    return true;
}

static bool next_exemplar(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_exemplar *exemplar)
{
    (void)schema;
    const OtlpMetric *metric = otlp_origin_of(message, sample).metric;
    struct otlp_exemplars exemplars = otlp_point_exemplars(metric, sample->index);
    while (cursor->index < exemplars.count) {
        *exemplar = (struct sample_exemplar){.index = cursor->index};
        if (read_exemplar(exemplars.list[cursor->index++], exemplar))
            return true;
    }
    return false;
}

const struct schema_ops schema_otlp = {
    .name = "otlp",
    .accepts_empty = false,
    .is_otlp = true,
    .otlp_path = "/v1/metrics",
    .otlp_udp = OTLP_UDP_METRICS,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = message_schema_decode,
    .next_sample = next_sample,
    .next_label = otlp_next_label,
    .next_quantile = next_quantile,
    .next_exemplar = next_exemplar,
    .next_exemplar_label = otlp_next_exemplar_label,
    .write_json = message_schema_write_json,
    .count_fields = message_schema_count_fields,
    .write_protobuf = message_schema_write_protobuf,
};
