/*
 * How often memory is allocated. The linker puts wrappers in the place of the allocator for all
 * that is linked statically, protobuf-c included; what a shared library allocates is not counted.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_COUNTED_MEMORY_H

#include <stddef.h>

/* From now on calls are counted: not those of the calling thread, or all. */
void counted_memory_begin(void);
void counted_memory_begin_all(void);

/* Ends that. Returns how many calls there were. */
size_t counted_memory_end(void);

#endif
