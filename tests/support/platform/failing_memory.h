/*
 * Makes one allocation fail: of all allocations of our own code in all threads, the chosen one
 * fails, and all others succeed. A program linked with sluice_test_failing_memory uses this in
 * place of malloc and the like.
 *
 * Unit tests call the functions below. Other programs are controlled by a file of 16 bytes, which
 * the environment variable FAILING_MEMORY names and both sides map: two 64-bit numbers in the
 * machine's byte order, the values that the functions below set and return.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H

#include <stdint.h>

/* Makes the allocation with this number fail: 1 is the next one; 0: none. */
void failing_memory_fail(uint64_t number);

/* The number of allocations until the one that fails; 0: it has failed, or none was chosen. */
uint64_t failing_memory_left(void);

/* Allocations that have failed so far. */
uint64_t failing_memory_failed(void);

#endif
