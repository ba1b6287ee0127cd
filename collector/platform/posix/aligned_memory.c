/* collector/platform/aligned_memory.h as C11 has it (7.22.3.1), and madvise(2). */
#include "collector/platform/aligned_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *aligned_memory_create(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

void aligned_memory_discard(void *memory, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + size) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED); /* else it stays: no harm */
}

void aligned_memory_destroy(void *memory)
{
    free(memory);
}
