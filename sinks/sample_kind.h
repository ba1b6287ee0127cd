/* What a sample is, in the words that lines use. Pure functions. */
#ifndef SLUICE_SINKS_SAMPLE_KIND_H
#define SLUICE_SINKS_SAMPLE_KIND_H

#include "collector/schema.h"

/* "gauge", "histogram" and so on, by what sample_kind_of says. */
#define SAMPLE_KINDS 6
extern const struct text sample_kind_names[SAMPLE_KINDS];

/* "cumulative" or "delta", by enum sample_temporality; empty where it is not told. */
#define SAMPLE_TEMPORALITIES 3
extern const struct text sample_temporality_names[SAMPLE_TEMPORALITIES];

size_t sample_kind_of(const struct sample *sample);

/* The same of one sample. */
struct text sample_kind_name(const struct sample *sample);
struct text sample_temporality_name(const struct sample *sample);

#endif
