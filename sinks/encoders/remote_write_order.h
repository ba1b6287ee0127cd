/*
 * Sorts the samples of a block (sinks/encoders/remote_write_sample.h) by series, and within a
 * series by time. Pure functions on the caller's memory; they allocate none.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_ORDER_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_ORDER_H

#include <stdbool.h>

#include "sinks/encoders/remote_write_sample.h"

/* The samples of a block, as offsets in the block. */
struct remote_write_index {
    const char *block;
    uint32_t *at; /* room for twice `count`; the second half is for sorting */
    size_t count;
};

static inline struct remote_write_sample
remote_write_index_load(const struct remote_write_index *index, size_t i)
{
    return remote_write_sample_load(index->block + index->at[i]);
}

static inline const char *remote_write_index_labels(const struct remote_write_index *index,
                                                    size_t i)
{
    return index->block + index->at[i] + sizeof(struct remote_write_sample);
}

/*
 * Finds the samples of a block of `size` bytes and sorts them; the sort is stable. Returns false if
 * the block does not consist of samples.
 */
bool remote_write_order(struct remote_write_index *index, size_t size);

/* Returns the first sample of the next series of an ordered index. */
size_t remote_write_next_series(const struct remote_write_index *index, size_t i);

#endif
