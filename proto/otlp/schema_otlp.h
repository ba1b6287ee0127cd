/*
 * Functions that the files of the schema `otlp` share. Pure functions of a decoded request. The
 * otlp_next functions implement operations of struct schema_ops (collector/contract/schema.h).
 */
#ifndef SLUICE_PROTO_OTLP_SCHEMA_OTLP_H
#define SLUICE_PROTO_OTLP_SCHEMA_OTLP_H

#include "collector/contract/schema.h"
#include "proto/generated/otlp_metrics_service.pb-c.h"
#include "proto/otlp/otlp_value.h"

typedef Opentelemetry__Proto__Collector__Metrics__V1__ExportMetricsServiceRequest OtlpRequest;
typedef Opentelemetry__Proto__Resource__V1__Resource OtlpResource;
typedef Opentelemetry__Proto__Common__V1__InstrumentationScope OtlpScope;
typedef Opentelemetry__Proto__Metrics__V1__ResourceMetrics OtlpResourceMetrics;
typedef Opentelemetry__Proto__Metrics__V1__ScopeMetrics OtlpScopeMetrics;
typedef Opentelemetry__Proto__Metrics__V1__Metric OtlpMetric;
typedef Opentelemetry__Proto__Metrics__V1__NumberDataPoint OtlpNumber;
typedef Opentelemetry__Proto__Metrics__V1__HistogramDataPoint OtlpHistogram;
typedef Opentelemetry__Proto__Metrics__V1__ExponentialHistogramDataPoint OtlpExponential;
typedef Opentelemetry__Proto__Metrics__V1__SummaryDataPoint OtlpSummary;
typedef Opentelemetry__Proto__Metrics__V1__Exemplar OtlpExemplar;

#define OTLP_DATA_IS(type) OPENTELEMETRY__PROTO__METRICS__V1__METRIC__DATA_##type

/* Indexes in struct sample.outer. */
enum { OUTER_RESOURCE, OUTER_SCOPE, OUTER_METRIC };

struct otlp_exemplars {
    OtlpExemplar *const *list;
    size_t count;
};

/* The metric that contains a sample's point, with the metric's scope and resource. */
struct otlp_origin {
    const OtlpResource *resource; /* NULL if it is absent */
    const OtlpScope *scope;       /* NULL if it is absent */
    const OtlpMetric *metric;
    const OtlpScopeMetrics *group; /* the metrics of the scope under this resource */
};

struct otlp_origin otlp_origin_of(const OtlpRequest *request, const struct sample *sample);

/* Returns the number of the metric's points, or 0 if its type is not known. */
size_t otlp_point_count(const OtlpMetric *metric);

/* Return the attributes or the exemplars of the metric's point at `index`. */
struct otlp_attributes otlp_point_attributes(const OtlpMetric *metric, size_t index);
struct otlp_exemplars otlp_point_exemplars(const OtlpMetric *metric, size_t index);

/*
 * Read the next label. A sample has the labels of its point, its scope and its resource; an
 * exemplar has its own.
 */
bool otlp_next_label(const struct schema *schema, const void *message, const struct sample *sample,
                     struct schema_cursor *cursor, struct label *label);
bool otlp_next_exemplar_label(const struct schema *schema, const void *message,
                              const struct sample *sample, const struct sample_exemplar *exemplar,
                              struct schema_cursor *cursor, struct label *label);

#endif
