/* Checks an encoder with series limits against the same encoder without limits. */
#ifndef SLUICE_TESTS_FUZZ_LIMITS_H
#define SLUICE_TESTS_FUZZ_LIMITS_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * Encodes the record, which must have samples, with a high and a low limit. `written` are the
 * record's counts without limits. With the high limit the output must be the same as without. With
 * the low limit each sample must be written or counted, also when the record comes again, and known
 * series must stay known. Ends the program if this does not hold.
 */
void check_limits(const struct encoder_ops *ops, const struct encoder_options *options,
                  const struct record *record, const struct encoded *written);

#endif
