/* Implements tests/support/platform/failing_memory.h with the linker's --wrap. */
#include "tests/support/platform/failing_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/support/platform/failing_memory_share.h"

struct shortage {
    _Atomic uint64_t left;
    _Atomic uint64_t failed;
};

static struct shortage own;
static struct shortage *shortage = &own;
static _Atomic bool over; /* main has returned */

/*
 * The linker makes the program call the __wrap_ functions. The __real_ functions are the C
 * library's (ld(1), --wrap).
 */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
#ifdef FAILING_MEMORY_ALIGNED
void *__real_aligned_memory_create(size_t alignment, size_t size);
void *__wrap_aligned_memory_create(size_t alignment, size_t size);
#else
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
#endif

__attribute__((constructor)) static void share(void)
{
    void *mapped = failing_memory_share(sizeof own);
    if (mapped != NULL)
        shortage = mapped;
}

/*
 * After main has returned, no allocation may fail. gcov allocates memory there to write its
 * counters, and does not handle a failure.
 */
__attribute__((destructor)) static void end(void)
{
    atomic_store(&over, true);
}

static bool is_short(void)
{
    if (atomic_load(&over))
        return false;
    uint64_t left = atomic_load(&shortage->left);
    while (left != 0 && !atomic_compare_exchange_weak(&shortage->left, &left, left - 1))
        ;
    if (left != 1)
        return false;
    atomic_fetch_add(&shortage->failed, 1);
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return is_short() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_short() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return is_short() ? NULL : __real_realloc(memory, size);
}

#ifdef FAILING_MEMORY_ALIGNED
void *__wrap_aligned_memory_create(size_t alignment, size_t size)
{
    return is_short() ? NULL : __real_aligned_memory_create(alignment, size);
}
#else
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_short() ? NULL : __real_aligned_alloc(alignment, size);
}
#endif

char *__wrap_strdup(const char *text)
{
    return is_short() ? NULL : __real_strdup(text);
}

void failing_memory_fail(uint64_t number)
{
    atomic_store(&shortage->left, number);
}

uint64_t failing_memory_left(void)
{
    return atomic_load(&shortage->left);
}

uint64_t failing_memory_failed(void)
{
    return atomic_load(&shortage->failed);
}
