/*
 * Appends the parts of a sample in JSON to `out`. `out` overflows also if a generated text does not
 * fit in the scratch arena.
 */
#ifndef SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H

#include "collector/text/compiler.h"
#include "sinks/encoders/json_labels.h"

/* Appends the sample's value, for example 0.75. */
void json_sample_value(struct output *out, const struct record *record, const struct sample *sample,
                       struct arena *scratch);

/* Only for json_sample_exemplars, and for a schema that has exemplars. */
NEVER_INLINE void json_sample_exemplars_write(struct output *out, const struct record *record,
                                              const struct sample *sample,
                                              struct sample_labels *labels, const char *before);

/*
 * Appends `before` and the sample's exemplars, if it has any: [{"value":0.5,"labels":{}}]. `before`
 * must end with a character after which JSON has no comma (json_writer.h).
 */
static inline void json_sample_exemplars(struct output *out, const struct record *record,
                                         const struct sample *sample, struct sample_labels *labels,
                                         const char *before)
{
    if (record->schema->ops->next_exemplar != NULL)
        json_sample_exemplars_write(out, record, sample, labels, before);
}

#endif
