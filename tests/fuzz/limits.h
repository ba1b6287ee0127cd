/* Checks an encoder with limits of series against the same encoder without them. */
#ifndef SLUICE_TESTS_FUZZ_LIMITS_H
#define SLUICE_TESTS_FUZZ_LIMITS_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"

/*
 * `written`: the record's counts without limits, in which samples were written. With room for all
 * series nothing is different. With room for few, each sample is written or counted, also if the
 * record comes again, and known series stay known. Ends the program if this does not hold.
 */
void check_limits(const struct encoder_ops *ops, const struct encoder_options *options,
                  const struct record *record, const struct encoded *written);

#endif
