/*
 * Implements memory for secrets (collector/platform/machine.h). Windows writes a dump only if a
 * debugger requests it, so the memory has no pages of its own. It is only cleared.
 */
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/machine.h"

#define ALIGNMENT 64

size_t secret_memory_size(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *secret_memory_create(size_t size)
{
    size_t whole = secret_memory_size(size);
    void *memory = aligned_memory_create(ALIGNMENT, whole);
    return memory == NULL ? NULL : memset(memory, 0, whole);
}

void secret_memory_destroy(void *memory, size_t size)
{
    secure_clear(memory, secret_memory_size(size));
    aligned_memory_destroy(memory);
}
