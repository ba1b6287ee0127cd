/*
 * Memory that runs short once: of all that our own code allocates, in all threads together, one
 * allocation fails, and all others are as ever.
 *
 * A program linked with sluice_test_failing_memory has this in place of malloc and its like. Tests
 * of units call the functions below. Other programs are steered by a file of 16 bytes, which the
 * environment variable FAILING_MEMORY names and which both sides map: two numbers of 64 bits in the
 * byte order of the machine, those that the functions set and return.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H

#include <stdint.h>

/* The allocation of this number from now on fails: 1 is the next one; 0: none does. */
void failing_memory_fail(uint64_t number);

/* How many allocations there are until the one that fails; 0: it has failed, or none is to. */
uint64_t failing_memory_left(void);

/* Allocations that have failed so far. */
uint64_t failing_memory_failed(void);

#endif
