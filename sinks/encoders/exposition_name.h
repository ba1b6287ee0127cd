/* The alphabet of names in Prometheus and OpenMetrics. Pure functions. */
#ifndef SLUICE_SINKS_ENCODERS_EXPOSITION_NAME_H
#define SLUICE_SINKS_ENCODERS_EXPOSITION_NAME_H

#include <stdbool.h>

#include "collector/text/output.h"
#include "collector/text/text.h"

/*
 * Appends the text as a name: each character outside the alphabet becomes an underscore, and an
 * underscore comes before a leading digit. A colon is allowed in names of metrics, but not in names
 * of labels.
 */
void exposition_name(struct output *out, const struct text *name, bool colon);

#endif
