/*
 * Maps the file by which a test controls the failing allocations of another program
 * (failing_memory.h).
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_SHARE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_FAILING_MEMORY_SHARE_H

#include <stddef.h>

/*
 * Maps `size` bytes of the file that the environment variable FAILING_MEMORY names, until the
 * process ends. Called before main. Returns NULL if there is no such file.
 */
void *failing_memory_share(size_t size);

#endif
