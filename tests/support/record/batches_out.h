/* The number of batches of a pool that are in use. */
#ifndef SLUICE_TESTS_SUPPORT_RECORD_BATCHES_OUT_H
#define SLUICE_TESTS_SUPPORT_RECORD_BATCHES_OUT_H

#include "collector/record/batch.h"

/* Batches of both sizes, at this moment. */
static inline size_t batches_out(struct batch_pool *pool)
{
    struct batch_pool_levels levels = batch_pool_levels(pool);
    return levels.small - levels.small_free + levels.large - levels.large_free;
}

#endif
