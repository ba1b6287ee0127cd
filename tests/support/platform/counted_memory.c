#include "tests/support/platform/counted_memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/support/platform/this_thread.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_memory_create(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_memory_create(size_t alignment, size_t size);

static _Atomic bool counting;
static _Atomic size_t calls;
static _Atomic uintptr_t test_thread; /* 0, or the test's own thread, whose calls are not counted */

static void note_call(void)
{
    if (atomic_load(&counting) && atomic_load(&test_thread) != this_thread())
        atomic_fetch_add(&calls, 1);
}

void *__wrap_malloc(size_t size)
{
    note_call();
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    note_call();
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    note_call();
    return __real_realloc(block, size);
}

void *__wrap_aligned_memory_create(size_t alignment, size_t size)
{
    note_call();
    return __real_aligned_memory_create(alignment, size);
}

static void begin(uintptr_t exempt)
{
    atomic_store(&test_thread, exempt);
    atomic_store(&calls, 0);
    atomic_store(&counting, true);
}

void counted_memory_begin(void)
{
    begin(this_thread());
}

void counted_memory_begin_all(void)
{
    begin(0);
}

size_t counted_memory_end(void)
{
    atomic_store(&counting, false);
    return atomic_load(&calls);
}
