/*
 * What a sample is, in JSON: parts of a line, for the encoder of JSON lines. They append to `out`,
 * which overflows where a text that has to be made does not fit the scratch arena, too.
 */
#ifndef SLUICE_SINKS_JSON_SAMPLE_H
#define SLUICE_SINKS_JSON_SAMPLE_H

#include "sinks/json_labels.h"

/* Its kind and, where it is told, its temporality: ,"kind":"gauge" */
void json_sample_kind(struct output *out, const struct sample *sample);

/* Its value, with the key: ,"value":0.75 */
void json_sample_value(struct output *out, const struct record *record, const struct sample *sample,
                       struct arena *scratch);

/* Its exemplars, where it has any: ,"exemplars":[{"value":0.5,"labels":{}}] */
void json_sample_exemplars(struct output *out, const struct record *record,
                           const struct sample *sample, struct sample_labels *labels);

#endif
