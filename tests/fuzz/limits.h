/* Compares an encoder with series limits with the same encoder without limits. */
#ifndef SLUICE_TESTS_FUZZ_LIMITS_H
#define SLUICE_TESTS_FUZZ_LIMITS_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * `written` are the record's counts without limits; the record must have samples. If the limit is
 * high, the output must be the same. If it is low, each sample must be written or counted, also
 * when the record comes again, and known series must stay known. Ends the program if this does not
 * hold.
 */
void check_limits(const struct encoder_ops *ops, const struct encoder_options *options,
                  const struct record *record, const struct encoded *written);

#endif
