/*
 * Implements the memory of collector/platform/machine.h with functions of Microsoft's C library and
 * VirtualAlloc.
 */
#include "collector/platform/machine.h"

#include <malloc.h>
#include <stdint.h>
#include <windows.h>

void *aligned_memory_create(size_t alignment, size_t size)
{
    return _aligned_malloc(size, alignment);
}

void aligned_memory_discard(void *memory, size_t size)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    uintptr_t page = system.dwPageSize;
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + size) / page * page;
    if (begin < end)
        VirtualAlloc((void *)begin, end - begin, MEM_RESET, PAGE_READWRITE); /* if it fails, the
                                                                                pages stay */
}

/*
 * Writes only to pages that begin within the memory: the page before them may contain other data.
 */
bool aligned_memory_populate(void *memory, size_t size)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    uintptr_t page = system.dwPageSize;
    uintptr_t end = (uintptr_t)memory + size;
    for (uintptr_t at = ((uintptr_t)memory + page - 1) / page * page; at < end; at += page)
        *(volatile uint8_t *)at = 0;
    return true; /* the pages were committed when the memory was allocated */
}

void aligned_memory_destroy(void *memory)
{
    _aligned_free(memory);
}
