/* Checks that the next run accepts a file that this program wrote. */
#ifndef SLUICE_TESTS_FUZZ_OWN_FILE_H
#define SLUICE_TESTS_FUZZ_OWN_FILE_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * Checks that the encoder recognises a file with `records` as its own. `records` is the encoded
 * form of `record`. If the file is cut anywhere, the encoder must recognise the whole records in
 * it. In binary formats, a file that is entirely text is not changed (sinks/encoders/delimited.c).
 * The check is repeated with longer messages, because a message may have unknown fields of any
 * length.
 */
void expect_own_file(struct encoder *encoder, const struct record *record,
                     const struct output *records);

#endif
