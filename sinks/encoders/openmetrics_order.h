/*
 * Sorts the samples of a block (sinks/encoders/openmetrics_sample.h) in the order of a file. Pure
 * functions on the caller's memory; they allocate none.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_ORDER_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_ORDER_H

#include "sinks/encoders/openmetrics_sample.h"

/* The samples of a block, as offsets in the block. */
struct openmetrics_index {
    char *block;
    uint32_t *at; /* room for twice `count`; the second half is for sorting */
    size_t count;
};

static inline struct openmetrics_sample
openmetrics_index_load(const struct openmetrics_index *index, size_t i)
{
    return openmetrics_sample_load(index->block + index->at[i]);
}

/* Return the bytes of sample `i`, and the name of its family, which is in them. */
static inline char *openmetrics_index_bytes(const struct openmetrics_index *index, size_t i)
{
    return index->block + index->at[i];
}

static inline const char *openmetrics_index_name(const struct openmetrics_index *index, size_t i)
{
    return openmetrics_index_bytes(index, i) + sizeof(struct openmetrics_sample);
}

/* Orders by family (name, then type), labels, time, and position in the block. */
void openmetrics_order(struct openmetrics_index *index);

/* Returns true if both samples are of the same metric of the same family. */
bool openmetrics_same_metric(const struct openmetrics_index *index, size_t a, size_t b);

/* Returns the first sample of an ordered index whose family's name is not less than `name`. */
size_t openmetrics_find(const struct openmetrics_index *index, const char *name, size_t size);

/* Returns true if sample `i` exists and its family has the name. */
bool openmetrics_is_named(const struct openmetrics_index *index, size_t i, const char *name,
                          size_t size);

/* Returns the first sample of the next family of an ordered index. */
size_t openmetrics_next_family(const struct openmetrics_index *index, size_t i);

#endif
