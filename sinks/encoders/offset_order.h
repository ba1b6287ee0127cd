/* Puts what lies in a block in order, by the offsets of it alone. */
#ifndef SLUICE_SINKS_ENCODERS_OFFSET_ORDER_H
#define SLUICE_SINKS_ENCODERS_OFFSET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sorts the first `count` offsets of `at`, which has room for twice as many. `in_order` answers
 * whether what `b` points to in the block does not come before what `a` points to; of equal ones
 * the order stays. Allocates nothing, as the C library's qsort may.
 */
void offset_order(const char *block, uint32_t *at, size_t count,
                  bool (*in_order)(const char *a, const char *b));

#endif
