/* What OpenSSL may allocate: so much in all, and for a connection no large piece at a time. */
#include <string.h>

#include "collector/receive/tls_library.h"
#include "collector/receive/tls_memory.h"
#include "tests/support/test.h"

#define MANY ((size_t)1024 * 1024)

static CRYPTO_malloc_fn allocate;
static CRYPTO_realloc_fn reallocate;
static CRYPTO_free_fn release;

/* Stands in for OpenSSL, which takes the functions. */
static int take_functions(CRYPTO_malloc_fn first, CRYPTO_realloc_fn second, CRYPTO_free_fn third)
{
    allocate = first;
    reallocate = second;
    release = third;
    return 1;
}

static void begin(void)
{
    const struct tls_library library = {.CRYPTO_set_mem_functions = take_functions};
    tls_memory_begin(&library);
    assert_int_equal(tls_memory_used(), 0);
}

static void *get(size_t size)
{
    return allocate(size, __FILE__, __LINE__);
}

static void give(void *pointer)
{
    release(pointer, __FILE__, __LINE__);
}

TEST(nothing_is_allocated_that_was_not_allowed)
{
    begin();
    assert_null(get(1));
    tls_memory_allow(1000);
    void *one = get(600);
    assert_non_null(one);
    assert_null(get(600));
    give(one);
    void *again = get(600);
    assert_non_null(again);
    give(again);
    tls_memory_disallow(1000);
    assert_null(get(1));
    assert_int_equal(tls_memory_used(), 0);
}

TEST(what_is_made_longer_or_shorter_keeps_its_bytes)
{
    begin();
    tls_memory_allow(MANY);
    char *text = reallocate(NULL, 6, __FILE__, __LINE__);
    assert_non_null(text);
    memcpy(text, "abcde", 6);
    text = reallocate(text, 10000, __FILE__, __LINE__);
    assert_string_equal(text, "abcde");
    text = reallocate(text, 6, __FILE__, __LINE__);
    assert_string_equal(text, "abcde");
    assert_null(reallocate(text, 2 * MANY, __FILE__, __LINE__)); /* and it is still there */
    assert_string_equal(text, "abcde");
    assert_null(reallocate(text, 0, __FILE__, __LINE__));
    give(NULL);
    assert_null(get(0));
    assert_null(get(SIZE_MAX));
    assert_int_equal(tls_memory_used(), 0);
    tls_memory_disallow(MANY);
}

TEST(but_for_files_no_piece_is_large)
{
    const size_t message = (size_t)128 * 1024; /* that OpenSSL would take of a ClientHello */
    begin();
    tls_memory_allow(MANY);
    tls_memory_read_files(true);
    void *file = get(message); /* there is no limit but that of all */
    assert_non_null(file);
    tls_memory_read_files(false);
    give(file);
    assert_null(get(message));
    void *record = get((size_t)17 * 1024);
    assert_non_null(record);
    assert_null(reallocate(record, message, __FILE__, __LINE__));
    give(record);
    tls_memory_disallow(MANY);
    assert_int_equal(tls_memory_used(), 0);
}
