/* Reads snappy's block format without a library. */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_SNAPPY_READING_H
#define SLUICE_TESTS_SUPPORT_SINKS_SNAPPY_READING_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the content of a block to `to` and returns its size. Fails the test if the block is
 * malformed.
 */
size_t snappy_read(const uint8_t *block, size_t size, uint8_t *to, size_t capacity);

#endif
