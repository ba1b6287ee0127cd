#ifndef SLUICE_TESTS_SUPPORT_RECORD_BATCHES_OUT_H
#define SLUICE_TESTS_SUPPORT_RECORD_BATCHES_OUT_H

#include "collector/record/batch.h"

/* Returns the number of batches of both sizes that are in use. */
static inline size_t batches_out(struct batch_pool *pool)
{
    struct batch_pool_levels levels = batch_pool_levels(pool);
    return levels.small - levels.small_free + levels.large - levels.large_free;
}

#endif
