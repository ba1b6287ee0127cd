/* Sorts the items of a block by moving only their offsets, without allocating memory. */
#ifndef SLUICE_SINKS_ENCODERS_OFFSET_ORDER_H
#define SLUICE_SINKS_ENCODERS_OFFSET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sorts the first `count` offsets of `at`, which has room for 2 * count offsets. `in_order` returns
 * true if item `b` may follow item `a`. The sort is stable.
 */
void offset_order(const char *block, uint32_t *at, size_t count,
                  bool (*in_order)(const char *a, const char *b));

#endif
