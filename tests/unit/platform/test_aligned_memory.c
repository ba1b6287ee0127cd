#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/platform/machine.h"
#include "tests/support/test.h"

#define SIZE ((size_t)8192)

static long page;
static struct {
    uintptr_t begin, end;
    int advice;
    unsigned count;
} given;

long __wrap_sysconf(int name);
long __real_sysconf(int name);
int __wrap_madvise(void *memory, size_t size, int advice);

long __wrap_sysconf(int name)
{
    if (page == 0 || name != _SC_PAGESIZE) /* a sanitizer that is linked in calls sysconf, too */
        return __real_sysconf(name);
    return page;
}

int __wrap_madvise(void *memory, size_t size, int advice)
{
    given.begin = (uintptr_t)memory;
    given.end = (uintptr_t)memory + size;
    given.advice = advice;
    given.count++;
    return 0;
}

static const long pages[] = {4096, 16384, 65536};

TEST(secrets_have_whole_pages_of_their_own_whatever_the_size_of_a_page)
{
    for (unsigned i = 0; i < 3; i++) {
        page = pages[i];
        uint8_t *secret = secret_memory_create((size_t)page + 1);
        assert_int_equal(given.advice, MADV_DONTDUMP);
        assert_int_equal(given.begin, (uintptr_t)secret);
        assert_int_equal(given.begin % (uintptr_t)page, 0); /* otherwise madvise fails */
        assert_int_equal(given.end - given.begin, 2 * page);
        assert_int_equal(secret_memory_size((size_t)page + 1), 2 * page);
        for (long at = 0; at < 2 * page; at++)
            assert_int_equal(secret[at], 0);
        secret_memory_destroy(secret, (size_t)page + 1);
    }
}

TEST(discarded_memory_is_never_more_than_was_given)
{
    uint8_t *memory = aligned_memory_create(65536, (size_t)3 * 65536);
    for (unsigned i = 0; i < 3; i++) {
        page = pages[i];
        given.count = 0;
        aligned_memory_discard(memory + 4096, (size_t)2 * 65536);
        assert_int_equal(given.count, 1);
        assert_int_equal(given.begin % (uintptr_t)page, 0);
        assert_true(given.begin >= (uintptr_t)memory + 4096);
        assert_true(given.end <= (uintptr_t)memory + 4096 + (uintptr_t)2 * 65536);
    }
    page = 65536;
    given.count = 0;
    aligned_memory_discard(memory + 4096, SIZE); /* does not contain a whole page */
    assert_int_equal(given.count, 0);
    aligned_memory_destroy(memory);
}
