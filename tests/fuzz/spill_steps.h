/* A sink's actions on a spill, one step at a time, chosen by an input. */
#ifndef SLUICE_TESTS_FUZZ_SPILL_STEPS_H
#define SLUICE_TESTS_FUZZ_SPILL_STEPS_H

#include "collector/spill/spill.h"

/* Blocks that were read and not acknowledged; all zero: none. */
struct spill_out {
    size_t blocks;
    uint64_t records;
};

/* Performs step `what` % 8; images have room for `image_size` bytes. */
void spill_step(struct spill *spill, uint64_t what, size_t image_size, struct spill_out *out);

/* Acknowledges all blocks that were read. */
void spill_acknowledge_out(struct spill *spill, struct spill_out *out);

#endif
