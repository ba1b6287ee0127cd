/* Reads snappy's block format, from its description alone ("Snappy compressed format description").
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_SNAPPY_H
#define SLUICE_TESTS_FUZZ_READERS_SNAPPY_H

#include <stddef.h>
#include <stdint.h>

/* Writes the data of a block to `to`; *used is its size. What is wrong with it, or NULL: nothing.
 */
const char *snappy_wrong(const uint8_t *block, size_t size, uint8_t *to, size_t capacity,
                         size_t *used);

#endif
