/*
 * The parts of a sample in JSON, for encoders. They append to `out`, which also overflows if a
 * generated text does not fit in the scratch arena.
 */
#ifndef SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H

#include "collector/text/compiler.h"
#include "sinks/encoders/json_labels.h"

/* Appends the sample's value, for example 0.75. */
void json_sample_value(struct output *out, const struct record *record, const struct sample *sample,
                       struct arena *scratch);

/* Must be called only by json_sample_exemplars, for a schema that has exemplars. */
NEVER_INLINE void json_sample_exemplars_write(struct output *out, const struct record *record,
                                              const struct sample *sample,
                                              struct sample_labels *labels, const char *before);

/*
 * Appends the sample's exemplars, if there are any, after the text `before`:
 * [{"value":0.5,"labels":{}}]. `before` must end with a character after which JSON has no comma
 * (see json_writer.h).
 */
static inline void json_sample_exemplars(struct output *out, const struct record *record,
                                         const struct sample *sample, struct sample_labels *labels,
                                         const char *before)
{
    if (record->schema->ops->next_exemplar != NULL)
        json_sample_exemplars_write(out, record, sample, labels, before);
}

#endif
