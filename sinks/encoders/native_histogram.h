/*
 * A histogram, of either kind, as a native histogram of Prometheus: the message Histogram of remote
 * write, with integer counts. Pure functions.
 *
 * An exponential histogram keeps its scale, as the schema; a scale above 8 is reduced to 8 by
 * merging neighbours (OpenTelemetry, "Prometheus and OpenMetrics Compatibility", "Exponential
 * Histograms"). An explicit one has custom buckets (schema -53), with the bounds of
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
 * prometheus.Histogram has the same fields, but no custom buckets. `choice` selects buckets, as in
 * struct encoder_options; BUCKETS_CHANGED selects all, because empty ones take no room here.
 *
 * Returns false if the sample has no such form: its scale is below -4, its buckets do not add up to
 * its count or are too large for 63 bits, or its threshold is not a positive number. The caller
 * then removes what was appended.
 *
 * A sum that was not sent is NaN. A sample that is marked as missing ends its series.
 */
bool native_histogram_put(const struct sample *sample, uint64_t choice, struct output *out);

#endif
