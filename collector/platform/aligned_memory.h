/*
 * Memory that begins at a multiple of a cache line or a page. CMake picks the implementation under
 * platform/: not every C library has C11's aligned_alloc, and what it gives has its own way back.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_ALIGNED_MEMORY_H
#define SLUICE_COLLECTOR_PLATFORM_ALIGNED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns `size` bytes, a multiple of `alignment`, which is a power of two; NULL where memory is
 * short.
 */
void *aligned_memory_create(size_t alignment, size_t size);

/*
 * What the memory holds is needed no more: the whole pages of it may go back to the system until it
 * is written again.
 */
void aligned_memory_discard(void *memory, size_t size);

/*
 * Has the system give all pages of memory that holds nothing yet, so that nobody waits for them
 * when it is first written. Returns false where it has none.
 */
bool aligned_memory_populate(void *memory, size_t size);

/* NULL is allowed. */
void aligned_memory_destroy(void *memory);

#endif
