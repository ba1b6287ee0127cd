/* Appends numbers without JSON's commas and quotes. Pure functions; one thread per output. */
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

/* Append any value: a finite one as above, others as NaN, Infinity or -Infinity. */
void number_or_word_double(struct output *out, double value);
void number_or_word_float(struct output *out, float value);

#endif
