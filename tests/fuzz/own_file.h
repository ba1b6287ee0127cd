/* Checks that the next run accepts a file that this program wrote. */
#ifndef SLUICE_TESTS_FUZZ_OWN_FILE_H
#define SLUICE_TESTS_FUZZ_OWN_FILE_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * Checks that the encoder recognises a file with `records`, which it made from the record, as its
 * own. If the file is cut anywhere, it must recognise the whole records. In binary formats, a file
 * that is entirely text is not changed (sinks/encoders/delimited.c). A message may have any length,
 * because it may have unknown fields.
 */
void expect_own_file(struct encoder *encoder, const struct record *record,
                     const struct output *records);

#endif
