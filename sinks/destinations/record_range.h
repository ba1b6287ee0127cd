/* Consecutive records of a block that are sent as one message. */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/delivery.h"

struct record_range {
    uint32_t first, count;
};

/* The size of a message of these records; each message begins with the block's head. */
size_t record_range_size(const struct delivery_block *block, const struct record_range *range);

/* A copy of that message, to be freed by the caller. Returns NULL without memory. */
uint8_t *record_range_copy(const struct delivery_block *block, const struct record_range *range);

#endif
