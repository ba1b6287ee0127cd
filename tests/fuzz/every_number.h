/*
 * Compares the samples that a schema with `value=*` yields with all numbers of the message, and
 * with the samples of an explicit path to a field.
 */
#ifndef SLUICE_TESTS_FUZZ_EVERY_NUMBER_H
#define SLUICE_TESTS_FUZZ_EVERY_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Checks a message of the type in the descriptor set at `path`. Every number must be a sample, and
 * all other samples must be info samples. If the type has a label, a time or named values, a number
 * may be one of these; then only the number of samples is checked. `choice` selects a field. The
 * samples of an explicit path to it must be among the samples of `value=*`. A message with no known
 * field must have no samples. Also calls check_label_keys.
 */
void check_every_number(const char *path, const char *type, const uint8_t *data, size_t size,
                        uint64_t choice);

#endif
