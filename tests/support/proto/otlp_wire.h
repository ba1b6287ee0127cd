/*
 * Writes OTLP requests field by field. The field numbers of OTLP are repeated here, so that tests
 * find an error in the project's .proto files.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_OTLP_WIRE_H
#define SLUICE_TESTS_SUPPORT_PROTO_OTLP_WIRE_H

#include <stdint.h>

#include "tests/support/proto/wire.h"

enum {
    OTLP_REQUEST_RESOURCES = 1,
    OTLP_RESOURCE = 1, /* the fields of ResourceMetrics */
    OTLP_RESOURCE_SCOPES = 2,
    OTLP_SCOPE = 1, /* the fields of ScopeMetrics */
    OTLP_SCOPE_METRICS = 2,
    OTLP_RESOURCE_ATTRIBUTES = 1,
    OTLP_SCOPE_NAME = 1,
    OTLP_SCOPE_VERSION = 2,
    OTLP_SCOPE_ATTRIBUTES = 3,
};

enum {
    OTLP_METRIC_NAME = 1,
    OTLP_METRIC_UNIT = 3,
    OTLP_GAUGE = 5,
    OTLP_SUM = 7,
    OTLP_HISTOGRAM = 9,
    OTLP_EXPONENTIAL_HISTOGRAM = 10,
    OTLP_SUMMARY = 11,
    OTLP_POINTS = 1, /* the fields of Gauge, Sum and the other kinds of data */
    OTLP_TEMPORALITY = 2,
    OTLP_MONOTONIC = 3,
    OTLP_DELTA = 1, /* values of a temporality */
    OTLP_CUMULATIVE = 2,
};

/* Fields of a data point. */
enum {
    OTLP_START = 2, /* in every type of point */
    OTLP_TIME = 3,
    OTLP_COUNT = 4, /* in every type except NumberDataPoint */
    OTLP_POINT_SUM = 5,

    OTLP_NUMBER_DOUBLE = 4,
    OTLP_NUMBER_EXEMPLARS = 5,
    OTLP_NUMBER_INT = 6,
    OTLP_NUMBER_ATTRIBUTES = 7,
    OTLP_NUMBER_FLAGS = 8,

    OTLP_HISTOGRAM_COUNTS = 6,
    OTLP_HISTOGRAM_BOUNDS = 7,
    OTLP_HISTOGRAM_EXEMPLARS = 8,
    OTLP_HISTOGRAM_ATTRIBUTES = 9,
    OTLP_HISTOGRAM_FLAGS = 10,
    OTLP_HISTOGRAM_MIN = 11,
    OTLP_HISTOGRAM_MAX = 12,

    OTLP_EXPONENTIAL_ATTRIBUTES = 1,
    OTLP_EXPONENTIAL_SCALE = 6,
    OTLP_EXPONENTIAL_ZEROS = 7,
    OTLP_EXPONENTIAL_POSITIVE = 8,
    OTLP_EXPONENTIAL_NEGATIVE = 9,
    OTLP_EXPONENTIAL_FLAGS = 10,
    OTLP_EXPONENTIAL_EXEMPLARS = 11,
    OTLP_EXPONENTIAL_MIN = 12,
    OTLP_EXPONENTIAL_MAX = 13,
    OTLP_EXPONENTIAL_THRESHOLD = 14,
    OTLP_BUCKETS_OFFSET = 1,
    OTLP_BUCKETS_COUNTS = 2,

    OTLP_SUMMARY_QUANTILES = 6,
    OTLP_SUMMARY_ATTRIBUTES = 7,
    OTLP_SUMMARY_FLAGS = 8,
    OTLP_QUANTILE = 1,
    OTLP_QUANTILE_VALUE = 2,
};

enum {
    OTLP_EXEMPLAR_TIME = 2,
    OTLP_EXEMPLAR_DOUBLE = 3,
    OTLP_EXEMPLAR_SPAN = 4,
    OTLP_EXEMPLAR_TRACE = 5,
    OTLP_EXEMPLAR_INT = 6,
    OTLP_EXEMPLAR_ATTRIBUTES = 7,
};

/* Fields of AnyValue, and of its lists and maps. */
enum {
    OTLP_STRING = 1,
    OTLP_BOOL = 2,
    OTLP_INT = 3,
    OTLP_DOUBLE = 4,
    OTLP_LIST = 5,
    OTLP_MAP = 6,
    OTLP_BYTES = 7,
    OTLP_VALUES = 1,
    OTLP_KEY = 1,
    OTLP_VALUE = 2,
};

/*
 * Writes a metric. The fields that are written between otlp_metric_begin and otlp_metric_end are
 * those of its data (OTLP_GAUGE, ...).
 */
struct otlp_metric {
    size_t begun[4];
};

static inline struct otlp_metric otlp_metric_begin(struct wire *out, uint32_t data,
                                                   const char *name)
{
    struct otlp_metric metric;
    metric.begun[0] = wire_begin(out, OTLP_REQUEST_RESOURCES);
    metric.begun[1] = wire_begin(out, OTLP_RESOURCE_SCOPES);
    metric.begun[2] = wire_begin(out, OTLP_SCOPE_METRICS);
    wire_text(out, OTLP_METRIC_NAME, name);
    metric.begun[3] = wire_begin(out, data);
    return metric;
}

static inline void otlp_metric_end(struct wire *out, const struct otlp_metric *metric)
{
    for (size_t i = 4; i-- != 0;)
        wire_end(out, metric->begun[i]);
}

/* Puts an attribute whose value is a string. */
static inline void otlp_put_attribute(struct wire *out, uint32_t field, const char *key,
                                      const char *text)
{
    size_t attribute = wire_begin(out, field);
    wire_text(out, OTLP_KEY, key);
    size_t value = wire_begin(out, OTLP_VALUE);
    wire_text(out, OTLP_STRING, text);
    wire_end(out, value);
    wire_end(out, attribute);
}

#endif
