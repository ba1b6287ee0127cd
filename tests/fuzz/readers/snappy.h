/*
 * Reads snappy's block format, based only on its description ("Snappy compressed format
 * description").
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_SNAPPY_H
#define SLUICE_TESTS_FUZZ_READERS_SNAPPY_H

#include <stddef.h>
#include <stdint.h>

/* Decompresses a block to `to`, and sets *used to its size. Returns the error, or NULL. */
const char *snappy_wrong(const uint8_t *block, size_t size, uint8_t *to, size_t capacity,
                         size_t *used);

#endif
