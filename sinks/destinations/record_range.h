/* A message that consists of consecutive records of a block. */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

struct record_range {
    uint32_t first, count;
};

/* Returns the size of the message in bytes. Each message begins with the block's head. */
size_t record_range_size(const struct delivery_block *block, const struct record_range *range);

/* Returns a copy of the message, which the caller frees, or NULL if out of memory. */
uint8_t *record_range_copy(const struct delivery_block *block, const struct record_range *range);

#endif
