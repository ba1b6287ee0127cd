/* Looks at the blocks that a spill has read and not acknowledged, for tests of their order. */
#ifndef SLUICE_TESTS_SUPPORT_SPILL_READ_BLOCKS_H
#define SLUICE_TESTS_SUPPORT_SPILL_READ_BLOCKS_H

#include "collector/spill/spill_state.h"

/*
 * Returns the position in the spill of block number `place` of those that were read and not
 * acknowledged. 0 is the oldest.
 */
static inline uint64_t read_block_position(const struct spill *spill, size_t place)
{
    const struct reader *reader = &spill->reader;
    return reader->ring[(reader->start + place) % reader->window].position;
}

static inline void acknowledge_oldest(struct spill *spill)
{
    spill_acknowledge(spill, read_block_position(spill, 0));
}

#endif
