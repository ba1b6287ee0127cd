#include "collector/receive/tls_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/receive/tls_library.h"

/*
 * The most that one allocation for a connection may have. OpenSSL makes room for a message by a
 * third more than it has, and no handshake needs one of 24 KiB.
 */
#define ALLOCATION_MOST ((size_t)32 * 1024)

/* Stands before each allocation, whose alignment it keeps. */
struct head {
    _Alignas(max_align_t) size_t size; /* all of it */
};

static _Atomic size_t used;
static _Atomic size_t most;
static _Atomic bool files_are_read;

static bool take(size_t size)
{
    if (size > ALLOCATION_MOST && !atomic_load(&files_are_read))
        return false;
    if (atomic_fetch_add(&used, size) + size <= atomic_load(&most))
        return true;
    atomic_fetch_sub(&used, size);
    return false;
}

static void *allocate(size_t wanted, const char *file, int line)
{
    (void)file;
    (void)line;
    size_t size = wanted + sizeof(struct head);
    if (wanted == 0 || size < wanted || !take(size))
        return NULL;
    struct head *head = malloc(size);
    if (head == NULL) {
        atomic_fetch_sub(&used, size);
        return NULL;
    }
    head->size = size;
    return head + 1;
}

static void release(void *pointer, const char *file, int line)
{
    (void)file;
    (void)line;
    if (pointer == NULL)
        return;
    struct head *head = (struct head *)pointer - 1;
    atomic_fetch_sub(&used, head->size);
    free(head);
}

static void *reallocate(void *pointer, size_t wanted, const char *file, int line)
{
    if (pointer == NULL)
        return allocate(wanted, file, line);
    if (wanted == 0) {
        release(pointer, file, line);
        return NULL;
    }
    void *other = allocate(wanted, file, line);
    if (other == NULL)
        return NULL;
    size_t had = ((struct head *)pointer - 1)->size - sizeof(struct head);
    memcpy(other, pointer, had < wanted ? had : wanted);
    release(pointer, file, line);
    return other;
}

void tls_memory_begin(const struct tls_library *library)
{
    library->CRYPTO_set_mem_functions(allocate, reallocate, release);
}

void tls_memory_allow(size_t bytes)
{
    atomic_fetch_add(&most, bytes);
}

void tls_memory_disallow(size_t bytes)
{
    atomic_fetch_sub(&most, bytes);
}

void tls_memory_read_files(bool reading)
{
    atomic_store(&files_are_read, reading);
}

size_t tls_memory_used(void)
{
    return atomic_load(&used);
}
