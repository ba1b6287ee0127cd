/*
 * Counts allocations. The linker replaces the allocator by wrappers for all statically linked code,
 * including protobuf-c; allocations of shared libraries are not counted.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H

#include <stddef.h>

/* Begins to count the calls of all threads but the calling one. */
void counted_memory_begin(void);
/* Begins to count the calls of all threads. */
void counted_memory_begin_all(void);

/* Ends the count. Returns the number of calls. */
size_t counted_memory_end(void);

#endif
