/* collector/platform/machine.h as C11 has it (7.22.3.1), and madvise(2). */
#include "collector/platform/machine.h"

#include <errno.h>
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

/* Whether it says that there are no pages, or none that are whole. Else it refuses the call. */
static bool has_none(int number)
{
    return number == ENOMEM || number == EAGAIN || number == EFAULT || number == EHWPOISON;
}

/*
 * Linux from 5.14 on. The pages on both ends are given whole: what is in them stays as it is.
 * Elsewhere, and where a filter of system calls refuses it, each comes when it is written first.
 */
bool aligned_memory_populate(void *memory, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)memory / page * page;
    uintptr_t end = ((uintptr_t)memory + size + page - 1) / page * page;
    return madvise((void *)begin, end - begin, MADV_POPULATE_WRITE) == 0 || !has_none(errno);
}

void aligned_memory_destroy(void *memory)
{
    free(memory);
}
