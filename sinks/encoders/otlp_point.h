/*
 * A sample as OTLP has it: the fields of a Metric (opentelemetry/proto/metrics/v1) with one data
 * point. Part of the encoder otlp; the thread that has the output. Nothing to free.
 */
#ifndef SLUICE_SINKS_ENCODERS_OTLP_POINT_H
#define SLUICE_SINKS_ENCODERS_OTLP_POINT_H

#include "collector/contract/record.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Appends name, unit and data of the sample. A time or a start before 1970 is left out, which OTLP
 * reads as unknown; where the sample has no time, it is the arrival. An integer above 2^63-1 is a
 * double, since OTLP has signed ones alone.
 */
void otlp_metric_put(struct sample_labels *labels, const struct record *record,
                     const struct sample *sample, struct output *out);

#endif
