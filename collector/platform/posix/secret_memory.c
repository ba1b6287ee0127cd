/* Implements memory for secrets (collector/platform/machine.h) with madvise(2). */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/machine.h"

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t secret_memory_size(size_t size)
{
    return (size + page_size() - 1) / page_size() * page_size();
}

/* If madvise fails, the memory is used nevertheless: only the program's own user gets its dumps. */
void *secret_memory_create(size_t size)
{
    size_t whole = secret_memory_size(size);
    void *memory = aligned_memory_create(page_size(), whole);
    if (memory == NULL)
        return NULL;
    madvise(memory, whole, MADV_DONTDUMP);
    return memset(memory, 0, whole);
}

void secret_memory_destroy(void *memory, size_t size)
{
    secure_clear(memory, secret_memory_size(size));
    aligned_memory_destroy(memory);
}
