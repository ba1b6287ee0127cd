/* collector/aligned_memory.h as C11 has it (7.22.3.1). */
#include "collector/aligned_memory.h"

#include <stdlib.h>

void *aligned_memory_create(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

void aligned_memory_destroy(void *memory)
{
    free(memory);
}
