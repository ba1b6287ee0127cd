/* What must hold of a file that this program wrote, when the next run finds it. */
#ifndef SLUICE_TESTS_FUZZ_OWN_FILE_H
#define SLUICE_TESTS_FUZZ_OWN_FILE_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * A file of `records`, which the encoder has written of the record, is one of its own: all of it,
 * and of one that was cut anywhere the whole records. What reads as text from its first byte to its
 * last is left alone in binary formats' place (sinks/encoders/delimited.c). A message may have any
 * length, as it may have fields that its schema does not know.
 */
void expect_own_file(struct encoder *encoder, const struct record *record,
                     const struct output *records);

#endif
