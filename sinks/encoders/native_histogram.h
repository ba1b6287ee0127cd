/*
 * Converts a histogram of either kind to a native histogram of Prometheus: the message Histogram of
 * remote write, with integer counts. Pure functions.
 *
 * An exponential histogram keeps its scale as the schema; neighbours are merged to reduce a scale
 * above 8 to 8 (OpenTelemetry, "Prometheus and OpenMetrics Compatibility", "Exponential
 * Histograms"). An explicit histogram has custom buckets (schema -53), with the bounds of
 * sinks/encoders/classic_buckets.h.
 */
#ifndef SLUICE_SINKS_ENCODERS_NATIVE_HISTOGRAM_H
#define SLUICE_SINKS_ENCODERS_NATIVE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/schema.h"
#include "collector/text/output.h"

/*
 * Appends the fields of a Histogram (io.prometheus.write.v2, fields 1 to 16, without its times).
 * prometheus.Histogram has the same fields, but no custom buckets. `choice` selects buckets, see
 * struct encoder_options; BUCKETS_CHANGED selects all, because empty buckets take no room here. If
 * no sum was sent, the sum is NaN. A missing sample ends its series.
 *
 * Returns false if the sample cannot be converted: its scale is below -4, its buckets do not match
 * its count or do not fit in 63 bits, or its threshold is negative or not finite. The caller must
 * then remove the appended bytes.
 */
bool native_histogram_put(const struct sample *sample, uint64_t choice, struct output *out);

#endif
