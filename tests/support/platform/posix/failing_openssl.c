/*
 * Makes OpenSSL use the failing allocator (failing_memory.h) when a listener loads that library.
 * Uses the linker's --wrap.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/shared_library.h"

void *__real_shared_library_load(const char *name, struct error *error);
void *__wrap_shared_library_load(const char *name, struct error *error);

static void *allocate(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return malloc(size);
}

static void *reallocate(void *memory, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return realloc(memory, size);
}

static void release(void *memory, const char *file, int line)
{
    (void)file;
    (void)line;
    free(memory);
}

void *__wrap_shared_library_load(const char *name, struct error *error)
{
    int (*set)(void *(*)(size_t, const char *, int), void *(*)(void *, size_t, const char *, int),
               void (*)(void *, const char *, int));
    struct error ignored;
    void *library = __real_shared_library_load(name, error);
    if (library != NULL && strstr(name, "libssl") != NULL &&
        shared_library_find(library, "CRYPTO_set_mem_functions", &set, &ignored))
        set(allocate, reallocate, release);
    return library;
}
