/*
 * Appends numbers without the commas and quotes of JSON, for formats with other separators. Pure
 * functions; one thread per output.
 */
#ifndef SLUICE_COLLECTOR_TEXT_NUMBER_H
#define SLUICE_COLLECTOR_TEXT_NUMBER_H

#include <stdint.h>

#include "collector/text/output.h"

void number_int64(struct output *out, int64_t value);
void number_uint64(struct output *out, uint64_t value);

/*
 * Append the shortest decimal that reads back as the same double (or float), which must be finite.
 */
void number_double(struct output *out, double value);
void number_float(struct output *out, float value);

/*
 * Append any value: finite values as above, others as NaN, Infinity or -Infinity, as in protobuf's
 * JSON.
 */
void number_or_word_double(struct output *out, double value);
void number_or_word_float(struct output *out, float value);

#endif
