/*
 * Applies the sink's limits of series and times (collector/series/series_guard.h) to a sample, after
 * its rules: what is limited are the series that are written, with their new names and labels.
 *
 * A series is a name, a unit, a kind (number, histogram or summary; gauge or counter; temporality)
 * and a set of labels, in any order. A histogram is one series, whatever number of buckets a format
 * makes of it. Keys that some format may write as the same name (they differ at most in characters
 * that are not ASCII letters and digits) count in their order, because formats write the first, or
 * join them.
 *
 * On the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_BOUNDS_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_BOUNDS_H

#include "sinks/encoders/sample_encoder.h"

/*
 * Returns whether the sample is to be written; otherwise counts it in `encoded`. A sample out of
 * time may get the time of arrival instead. Also returns false if `out` overflows because the record
 * takes too many steps (sample_labels.h). Only if the encoder has a guard.
 */
bool sample_bounds_allow(struct sample_encoder *encoder, const struct record *record,
                         struct sample *sample, struct output *out, struct encoded *encoded);

#endif
