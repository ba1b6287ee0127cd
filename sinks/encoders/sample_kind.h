/*
 * Writes the kind of a sample as a text in a format's lines. An encoder makes the texts of all
 * kinds when it is created. Immutable after that. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_KIND_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_KIND_H

#include "collector/contract/schema.h"
#include "collector/text/output.h"

#define SAMPLE_KINDS         6
#define SAMPLE_TEMPORALITIES 3

/* Room for a kind and a temporality. */
#define SAMPLE_KIND_SIZE 80

struct sample_kinds {
    struct sample_kind_text {
        size_t size;
        char text[SAMPLE_KIND_SIZE];
    } texts[SAMPLE_KINDS][SAMPLE_TEMPORALITIES];
};

/*
 * Appends the text for a kind, such as "gauge" or "histogram", and a temporality, "cumulative",
 * "delta" or "" if unknown.
 */
typedef void sample_kind_writer(struct output *out, const struct text *kind,
                                const struct text *temporality);

void sample_kinds_make(struct sample_kinds *kinds, sample_kind_writer *write);

/* Appends the text for the kind of the sample. */
void sample_kinds_put(const struct sample_kinds *kinds, const struct sample *sample,
                      struct output *out);

#endif
