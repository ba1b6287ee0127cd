/* Converts names to the alphabet of Prometheus and OpenMetrics. Pure functions. */
#ifndef SLUICE_SINKS_ENCODERS_EXPOSITION_NAME_H
#define SLUICE_SINKS_ENCODERS_EXPOSITION_NAME_H

#include <stdbool.h>

#include "collector/text/output.h"
#include "collector/text/text.h"

/*
 * Appends the text as a name. Each character outside of the alphabet becomes an underscore, and a
 * leading digit gets an underscore before it. `colon`: colons are allowed, as in names of metrics
 * but not of labels.
 */
void exposition_name(struct output *out, const struct text *name, bool colon);

#endif
