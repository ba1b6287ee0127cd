/* collector/aligned_memory.h on the Microsoft C library's own calls. */
#include "collector/aligned_memory.h"

#include <malloc.h>

void *aligned_memory_create(size_t alignment, size_t size)
{
    return _aligned_malloc(size, alignment);
}

void aligned_memory_destroy(void *memory)
{
    _aligned_free(memory);
}
