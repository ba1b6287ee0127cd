/* Performs steps of a sink on a spill. The input of a fuzz target chooses them. */
#ifndef SLUICE_TESTS_FUZZ_SPILL_STEPS_H
#define SLUICE_TESTS_FUZZ_SPILL_STEPS_H

#include "collector/spill/spill.h"

/* Numbers of blocks that were read and not acknowledged, and of their records. */
struct spill_out {
    size_t blocks;
    uint64_t records;
};

/* Performs step number `what` % 8. Images have at most `image_size` bytes. */
void spill_step(struct spill *spill, uint64_t what, size_t image_size, struct spill_out *out);

/* Acknowledges all blocks that were read. */
void spill_acknowledge_out(struct spill *spill, struct spill_out *out);

#endif
