/* Implements the memory of collector/platform/machine.h with C11's aligned_alloc and madvise(2). */
#include "collector/platform/machine.h"

#include <errno.h>
#include <linux/mman.h> /* MADV_POPULATE_WRITE; musl's headers lack it */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *aligned_memory_create(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/*
 * Advises the kernel about each page that contains a part of the memory. Returns madvise's result.
 */
static int advise(void *memory, size_t size, int advice)
{
    uintptr_t page = page_size();
    uintptr_t begin = (uintptr_t)memory / page * page;
    uintptr_t end = ((uintptr_t)memory + size + page - 1) / page * page;
    return madvise((void *)begin, end - begin, advice);
}

void aligned_memory_discard(void *memory, size_t size)
{
    uintptr_t page = page_size();
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + size) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED); /* if it fails, the pages stay */
}

/*
 * Returns true if the system has no intact pages left. Other errors mean that it does not support
 * the call.
 */
static bool has_none(int number)
{
    return number == ENOMEM || number == EAGAIN || number == EFAULT || number == EHWPOISON;
}

/*
 * The pages at both ends are populated as a whole and keep their contents. Before Linux 5.14, and
 * if a system call filter refuses the call, a page is provided at its first write.
 */
bool aligned_memory_populate(void *memory, size_t size)
{
    return advise(memory, size, MADV_POPULATE_WRITE) == 0 || !has_none(errno);
}

void aligned_memory_destroy(void *memory)
{
    free(memory);
}
