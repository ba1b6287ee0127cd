/*
 * What a sample is, in JSON: parts of a line, for the encoders that write some. They append to
 * `out`, which overflows where a text that has to be made does not fit the scratch arena, too.
 */
#ifndef SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_JSON_SAMPLE_H

#include "sinks/encoders/json_labels.h"

/* Its value: 0.75 */
void json_sample_value(struct output *out, const struct record *record, const struct sample *sample,
                       struct arena *scratch);

/*
 * Its exemplars, where it has any, and `before` in front of them: [{"value":0.5,"labels":{}}]. What
 * `before` ends with must be something that JSON has no comma after (see json_writer.h).
 */
void json_sample_exemplars(struct output *out, const struct record *record,
                           const struct sample *sample, struct sample_labels *labels,
                           const char *before);

#endif
