/*
 * What a sample is, in JSON: parts of a line, for the encoder of JSON lines. Pure functions that
 * append to `out`; any thread.
 */
#ifndef SLUICE_SINKS_JSON_SAMPLE_H
#define SLUICE_SINKS_JSON_SAMPLE_H

#include "collector/schema.h"
#include "collector/text/output.h"

/* Its kind and, where it is told, its temporality: ,"kind":"gauge" */
void json_sample_kind(struct output *out, const struct sample *sample);

/* Its value, with the key: ,"value":0.75 */
void json_sample_value(struct output *out, const struct sample *sample);

#endif
