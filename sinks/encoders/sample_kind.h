/*
 * What a sample is, in the words that lines use: an encoder has them put together as its lines say
 * them, for each kind there is, when it is made. Does not change after that. Nothing to free.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_KIND_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_KIND_H

#include "collector/contract/schema.h"
#include "collector/text/output.h"

#define SAMPLE_KINDS         6
#define SAMPLE_TEMPORALITIES 3

/* Bytes that an encoder may make of a kind and a temporality. */
#define SAMPLE_KIND_SIZE 80

struct sample_kinds {
    struct sample_kind_text {
        size_t size;
        char text[SAMPLE_KIND_SIZE];
    } texts[SAMPLE_KINDS][SAMPLE_TEMPORALITIES];
};

/*
 * Appends what a line says: of "gauge", "histogram" and so on, and of "cumulative", "delta" or,
 * where it is unknown, nothing.
 */
typedef void sample_kind_writer(struct output *out, const struct text *kind,
                                const struct text *temporality);

void sample_kinds_make(struct sample_kinds *kinds, sample_kind_writer *write);

/* Appends what was made for a sample like this. */
void sample_kinds_put(const struct sample_kinds *kinds, const struct sample *sample,
                      struct output *out);

#endif
