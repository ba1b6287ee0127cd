/*
 * A double as the value of the labels `le` and `quantile`: OpenMetrics wants every writer to spell
 * one number in the same way there, since to readers it is a text. A pure function.
 */
#ifndef SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H
#define SLUICE_SINKS_ENCODERS_CANONICAL_NUMBER_H

#include "collector/text/output.h"

/*
 * Appends the shortest digits that read back as the same double, with a fraction (".0" if need be),
 * or an exponent of two digits where it is below -4 or above 5. Infinity is "+Inf"; zero has no
 * sign; `value` is not NaN. Source: OpenMetrics 1.0, "Considerations: Canonical Numbers".
 */
void canonical_number(struct output *out, double value);

#endif
