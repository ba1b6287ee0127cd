/* The memory of collector/platform/machine.h on C11's aligned_alloc (7.22.3.1) and madvise(2). */
#include "collector/platform/machine.h"

#include <errno.h>
#include <linux/mman.h> /* MADV_POPULATE_WRITE, which musl does not define */
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

/* Gives advice for each page that contains a part of the memory. Returns madvise's result. */
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
 * Whether the system has no pages, or none that are intact. Other errors mean that the call is not
 * supported.
 */
static bool has_none(int number)
{
    return number == ENOMEM || number == EAGAIN || number == EFAULT || number == EHWPOISON;
}

/*
 * Linux 5.14 and later. The pages at both ends are populated whole; their contents are kept. On
 * older systems, and if a system call filter refuses the call, each page is provided at its first
 * write.
 */
bool aligned_memory_populate(void *memory, size_t size)
{
    return advise(memory, size, MADV_POPULATE_WRITE) == 0 || !has_none(errno);
}

void aligned_memory_destroy(void *memory)
{
    free(memory);
}
