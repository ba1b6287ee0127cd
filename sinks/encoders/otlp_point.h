/*
 * Writes a sample in OTLP: the fields of a Metric (opentelemetry/proto/metrics/v1) with one data
 * point. Called in the thread that owns the output. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_OTLP_POINT_H
#define SLUICE_SINKS_ENCODERS_OTLP_POINT_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Appends name, unit and data of the sample. A time or a start time before 1970 is omitted; OTLP
 * reads that as unknown. A sample without a time gets its time of arrival. An integer above 2^63-1
 * becomes a double, because OTLP has only signed integers.
 */
void otlp_metric_put(struct sample_labels *labels, const struct record *record,
                     const struct sample *sample, struct output *out);

#endif
