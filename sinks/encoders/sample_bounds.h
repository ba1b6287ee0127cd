/*
 * Applies the sink's limits of series and times (collector/series/series_guard.h) to a sample,
 * after its rules: the limits count the series that are written, with their new names and labels.
 *
 * A series is a name, a unit, a kind (number, histogram or summary; gauge or counter; temporality)
 * and a set of labels, in any order. A histogram is one series, even if a format makes several of
 * it. Some formats write different keys as the same name, and then write the first label or join
 * the values. So the order of labels counts if their keys differ only in characters that are not
 * ASCII letters and digits.
 *
 * For the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_BOUNDS_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_BOUNDS_H

#include "sinks/encoders/sample_encoder.h"

/*
 * Returns true if the sample is to be written; otherwise counts it in `encoded`. A sample whose
 * time is outside of the limits may get its time of arrival instead. Returns false also if `out`
 * overflows because the record takes too many steps (sample_labels.h). Only for an encoder that has
 * a guard.
 */
bool sample_bounds_allow(struct sample_encoder *encoder, const struct record *record,
                         struct sample *sample, struct output *out, struct encoded *encoded);

#endif
