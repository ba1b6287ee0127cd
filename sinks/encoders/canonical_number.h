/*
 * A double as the value of the labels `le` and `quantile`: OpenMetrics requires one spelling of
 * each number, because readers compare it as text. A pure function.
 */
#ifndef SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H
#define SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H

#include "collector/text/output.h"

/*
 * Appends the shortest digits that read back as the same double, with a fraction (at least ".0"),
 * or with a two-digit exponent below -4 or above 5. Infinity is "+Inf"; zero has no sign; `value`
 * is not NaN. Source: OpenMetrics 1.0, "Considerations: Canonical Numbers".
 */
void canonical_number(struct output *out, double value);

#endif
