/*
 * The samples of `value=*`, compared with the numbers of the message, which this file reads by
 * itself, and with the samples of an explicit path.
 */
#ifndef SLUICE_TESTS_FUZZ_EVERY_NUMBER_H
#define SLUICE_TESTS_FUZZ_EVERY_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every number of a message of the type, in the set at `path`, is a sample; all other samples are
 * info samples. If the type has a label, a time or named values, a number may be one of these; then
 * only the number of samples is bounded. The samples of the explicit path to a field, which
 * `choice` selects, are among them. A message in which the type knows no field has no samples.
 * A label has the same key without another message (label_keys.h).
 */
void check_every_number(const char *path, const char *type, const uint8_t *data, size_t size,
                        uint64_t choice);

#endif
