/* What a sample is, in the words that lines use. Pure functions. */
#ifndef SLUICE_SINKS_SAMPLE_KIND_H
#define SLUICE_SINKS_SAMPLE_KIND_H

#include "collector/schema.h"

/* "gauge", "histogram" and so on. */
struct text sample_kind_name(const struct sample *sample);

/* "cumulative" or "delta"; empty where it is not told. */
struct text sample_temporality_name(const struct sample *sample);

#endif
