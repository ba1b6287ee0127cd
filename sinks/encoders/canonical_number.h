/*
 * Writes the values of the labels `le` and `quantile`. Readers compare them as texts, so
 * OpenMetrics requires one spelling of each number. A pure function.
 */
#ifndef SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H
#define SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H

#include "collector/text/output.h"

/*
 * Appends the shortest digits that read back as the same double: with a fraction (at least ".0"),
 * or with an exponent of two digits if it is below -4 or above 5. Infinity is "+Inf"; zero has no
 * sign; `value` must not be NaN. Source: OpenMetrics 1.0, "Considerations: Canonical Numbers".
 */
void canonical_number(struct output *out, double value);

#endif
