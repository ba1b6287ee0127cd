/* Properties of a file that this program wrote, when the next run finds it. */
#ifndef SLUICE_TESTS_FUZZ_OWN_FILE_H
#define SLUICE_TESTS_FUZZ_OWN_FILE_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * A file of `records`, which the encoder made of the record, is recognised as its own: completely,
 * or if it was cut anywhere, its whole records. In binary formats, a file that is entirely text is
 * not changed (sinks/encoders/delimited.c). A message may have any length, because it may have
 * unknown fields.
 */
void expect_own_file(struct encoder *encoder, const struct record *record,
                     const struct output *records);

#endif
