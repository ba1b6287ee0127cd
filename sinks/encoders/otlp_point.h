/*
 * A sample in OTLP: the fields of a Metric (opentelemetry/proto/metrics/v1) with one data point.
 * Part of the encoder otlp; for the output's thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_OTLP_POINT_H
#define SLUICE_SINKS_ENCODERS_OTLP_POINT_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Appends name, unit and data of the sample. A time or a start before 1970 is omitted, which OTLP
 * reads as unknown. A sample without a time gets the time of its arrival. An integer above 2^63-1
 * is written as a double, because OTLP has only signed integers.
 */
void otlp_metric_put(struct sample_labels *labels, const struct record *record,
                     const struct sample *sample, struct output *out);

#endif
