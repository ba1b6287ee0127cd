/*
 * Compresses data to the block format of snappy (google/snappy, format_description.txt): the size
 * of the data, then literals and copies of earlier data. Pure functions on the caller's memory; any
 * thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SNAPPY_BLOCK_H
#define SLUICE_SINKS_ENCODERS_SNAPPY_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Size of the working memory, aligned for a uint16_t. */
#define SNAPPY_SCRATCH ((size_t)32 * 1024)

/* Returns the maximum size of a block of `size` bytes of data. */
size_t snappy_block_bound(size_t size);

/* Appends the block of `size` bytes of data, which must be less than 4 GiB. */
void snappy_block_put(const void *data, size_t size, void *scratch, struct output *out);

#endif
