/* Some records of a block that are one message, where a far end limits what a message may be. */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

/* Some records of a block, one after the other. */
struct record_range {
    uint32_t first, count;
};

/* Bytes of a message of these records: the block's head is before the first one in each. */
size_t record_range_size(const struct delivery_block *block, const struct record_range *range);

/* A message of these records, with the block's head, to be freed. Returns NULL without memory. */
uint8_t *record_range_copy(const struct delivery_block *block, const struct record_range *range);

#endif
