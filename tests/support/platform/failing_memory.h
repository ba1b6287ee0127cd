/*
 * Makes one chosen allocation of our own code fail; all others succeed. The allocations of all
 * threads are counted together. A program linked with sluice_test_failing_memory calls this code
 * instead of malloc and similar functions.
 *
 * Unit tests call the functions below. Other programs are controlled by a file of 16 bytes, whose
 * path is in the environment variable FAILING_MEMORY. The test and the program both map the file.
 * It contains two 64-bit numbers in the machine's byte order: first the one that
 * failing_memory_fail sets and failing_memory_left returns, then the one that failing_memory_failed
 * returns.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_H

#include <stdint.h>

/* Makes allocation `number` from now on fail: 1 is the next one. 0 makes no allocation fail. */
void failing_memory_fail(uint64_t number);

/*
 * Returns the number of allocations until the one that fails. Returns 0 if it has failed, or if
 * none was chosen.
 */
uint64_t failing_memory_left(void);

/* Returns the number of allocations that have failed so far. */
uint64_t failing_memory_failed(void);

#endif
