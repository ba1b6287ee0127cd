/*
 * Compares the samples of `value=*` with the numbers of the message, which this code finds by
 * itself, and with the samples of an explicit path.
 */
#ifndef SLUICE_TESTS_FUZZ_EVERY_NUMBER_H
#define SLUICE_TESTS_FUZZ_EVERY_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Checks a message of the type in the descriptor set at `path`. Every number must be a sample;
 * other samples must be info samples. If the type has a label, a time or named values, a number may
 * be one of these, and only the number of samples is checked. `choice` selects a field; the samples
 * of an explicit path to it must be among the others. A message with no known field must have no
 * samples. A label must keep its key when another message is absent (label_keys.h).
 */
void check_every_number(const char *path, const char *type, const uint8_t *data, size_t size,
                        uint64_t choice);

#endif
