/*
 * Adds a fault to the program on purpose, which a test must find: a TLS listener replaces OpenSSL's
 * allocator by one that limits the memory of its connections. OpenSSL has one allocator per
 * process, so the connections of `https:` sinks share the limit.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The limit in bytes for each connection of the listener. */
#define CONNECTION_MEMORY ((size_t)64 * 1024)

void bound_openssl(size_t connections);

/* Precedes each allocation. */
struct head {
    _Alignas(max_align_t) size_t size;
};

static _Atomic size_t used;
static _Atomic size_t most = SIZE_MAX / 2;

static void *allocate(size_t wanted, const char *file, int line)
{
    (void)file, (void)line;
    size_t size = wanted + sizeof(struct head);
    if (wanted == 0 || atomic_load(&used) + size > atomic_load(&most))
        return NULL;
    struct head *head = malloc(size);
    if (head == NULL)
        return NULL;
    atomic_fetch_add(&used, size);
    head->size = size;
    return head + 1;
}

static void release(void *pointer, const char *file, int line)
{
    (void)file, (void)line;
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
    void *other = allocate(wanted, file, line);
    if (other == NULL)
        return NULL;
    size_t had = ((struct head *)pointer - 1)->size - sizeof(struct head);
    memcpy(other, pointer, had < wanted ? had : wanted);
    release(pointer, file, line);
    return other;
}

void bound_openssl(size_t connections)
{
    atomic_store(&most, atomic_load(&used) + connections * CONNECTION_MEMORY);
}

/* OpenSSL accepts an allocator only before its first allocation. */
__attribute__((constructor)) static void take_allocator(void)
{
    typedef int set_functions(void *(*)(size_t, const char *, int),
                              void *(*)(void *, size_t, const char *, int),
                              void (*)(void *, const char *, int));
    void *library = dlopen("libcrypto.so.3", RTLD_NOW);
    set_functions *set = NULL;
    if (library != NULL)
        *(void **)&set = dlsym(library, "CRYPTO_set_mem_functions");
    if (set == NULL || set(allocate, reallocate, release) != 1)
        abort();
}
