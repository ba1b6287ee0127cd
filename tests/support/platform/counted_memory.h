/*
 * Counts allocations. The linker replaces the allocator by wrappers in all statically linked code,
 * including protobuf-c. Allocations of shared libraries are not counted.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H

#include <stddef.h>

/* Starts counting the allocations of all threads except the calling one. */
void counted_memory_begin(void);
/* Starts counting the allocations of all threads. */
void counted_memory_begin_all(void);

/* Stops counting. Returns the number of allocations. */
size_t counted_memory_end(void);

#endif
