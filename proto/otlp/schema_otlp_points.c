/* Finds the origin of OTLP samples, and reads the fields common to all types of points. */
#include "proto/otlp/schema_otlp.h"

struct otlp_origin otlp_origin_of(const OtlpRequest *request, const struct sample *sample)
{
    const OtlpResourceMetrics *resource = request->resource_metrics[sample->outer[OUTER_RESOURCE]];
    const OtlpScopeMetrics *scope = resource->scope_metrics[sample->outer[OUTER_SCOPE]];
    return (struct otlp_origin){resource->resource, scope->scope,
                                scope->metrics[sample->outer[OUTER_METRIC]], scope};
}

size_t otlp_point_count(const OtlpMetric *metric)
{
    switch (metric->data_case) {
    case OTLP_DATA_IS(GAUGE):
        return metric->gauge->n_data_points;
    case OTLP_DATA_IS(SUM):
        return metric->sum->n_data_points;
    case OTLP_DATA_IS(HISTOGRAM):
        return metric->histogram->n_data_points;
    case OTLP_DATA_IS(EXPONENTIAL_HISTOGRAM):
        return metric->exponential_histogram->n_data_points;
    case OTLP_DATA_IS(SUMMARY):
        return metric->summary->n_data_points;
    default:
        return 0;
    }
}

#define ATTRIBUTES_OF(point) ((struct otlp_attributes){(point)->attributes, (point)->n_attributes})
#define EXEMPLARS_OF(point)  ((struct otlp_exemplars){(point)->exemplars, (point)->n_exemplars})

struct otlp_attributes otlp_point_attributes(const OtlpMetric *metric, size_t index)
{
    switch (metric->data_case) {
    case OTLP_DATA_IS(GAUGE):
        return ATTRIBUTES_OF(metric->gauge->data_points[index]);
    case OTLP_DATA_IS(SUM):
        return ATTRIBUTES_OF(metric->sum->data_points[index]);
    case OTLP_DATA_IS(HISTOGRAM):
        return ATTRIBUTES_OF(metric->histogram->data_points[index]);
    case OTLP_DATA_IS(EXPONENTIAL_HISTOGRAM):
        return ATTRIBUTES_OF(metric->exponential_histogram->data_points[index]);
    case OTLP_DATA_IS(SUMMARY):
        return ATTRIBUTES_OF(metric->summary->data_points[index]);
    default:
        return (struct otlp_attributes){0};
    }
}

struct otlp_exemplars otlp_point_exemplars(const OtlpMetric *metric, size_t index)
{
    switch (metric->data_case) {
    case OTLP_DATA_IS(GAUGE):
        return EXEMPLARS_OF(metric->gauge->data_points[index]);
    case OTLP_DATA_IS(SUM):
        return EXEMPLARS_OF(metric->sum->data_points[index]);
    case OTLP_DATA_IS(HISTOGRAM):
        return EXEMPLARS_OF(metric->histogram->data_points[index]);
    case OTLP_DATA_IS(EXPONENTIAL_HISTOGRAM):
        return EXEMPLARS_OF(metric->exponential_histogram->data_points[index]);
    default:
        return (struct otlp_exemplars){0}; /* a summary has no exemplars */
    }
}
