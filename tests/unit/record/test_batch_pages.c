/* When the pages of small batches are had, by whom, and what follows where there are none. */
#include "collector/platform/machine.h"
#include "collector/record/batch.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

#define COUNT (4 * BATCH_POOL_READY)

/* The linker puts these in the place of the real one (CMakeLists.txt). */
bool __real_aligned_memory_populate(void *memory, size_t size);
bool __wrap_aligned_memory_populate(void *memory, size_t size);

static struct {
    size_t populated; /* batches */
    size_t asked;     /* for more */
    bool short_of_memory;
} pages;

bool __wrap_aligned_memory_populate(void *memory, size_t size)
{
    if (pages.short_of_memory)
        return false;
    pages.populated++;
    return __real_aligned_memory_populate(memory, size);
}

static void note_low(void *context)
{
    (void)context;
    pages.asked++;
}

static struct batch_pool *make_pool(void)
{
    pages.populated = pages.asked = 0;
    pages.short_of_memory = false;
    struct batch_pool *pool = batch_pool_create(COUNT, 1);
    assert_non_null(pool);
    batch_pool_on_low(pool, note_low, NULL);
    return pool;
}

static void acquire_some(struct batch_pool *pool, struct batch **out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_non_null(out[i] = batch_acquire(pool, false));
}

static void release_all(struct batch **out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        batch_release(out[i]);
}

TEST(a_pool_begins_with_pages_for_a_few)
{
    struct batch_pool *pool = make_pool();
    assert_int_equal(pages.populated, BATCH_POOL_READY);
    assert_int_equal(batch_pool_levels(pool).small_free, COUNT);
    batch_pool_destroy(pool);
}

TEST(what_is_used_again_and_again_takes_no_more)
{
    struct batch *out[BATCH_POOL_READY / 2];
    struct batch_pool *pool = make_pool();
    for (int round = 0; round < 100; round++) {
        acquire_some(pool, out, BATCH_POOL_READY / 2);
        release_all(out, BATCH_POOL_READY / 2);
    }
    assert_int_equal(pages.populated, BATCH_POOL_READY);
    assert_int_equal(pages.asked, 0);
    batch_pool_destroy(pool);
}

TEST(somebody_is_asked_once_for_more_before_they_are_needed)
{
    struct batch *out[BATCH_POOL_READY];
    struct batch_pool *pool = make_pool();
    acquire_some(pool, out, BATCH_POOL_READY);
    assert_int_equal(pages.asked, 1);
    assert_int_equal(pages.populated, BATCH_POOL_READY);
    batch_pool_populate(pool);
    assert_int_equal(pages.populated, 2 * BATCH_POOL_READY);
    release_all(out, BATCH_POOL_READY);
    batch_pool_populate(pool);
    assert_int_equal(pages.populated, 2 * BATCH_POOL_READY);
    batch_pool_destroy(pool);
}

TEST(where_nobody_does_it_who_needs_them_has_the_pages_by_itself)
{
    struct batch *out[COUNT];
    struct batch_pool *pool = make_pool();
    acquire_some(pool, out, COUNT);
    assert_int_equal(pages.populated, COUNT);
    assert_null(batch_acquire(pool, false));
    release_all(out, COUNT);
    batch_pool_destroy(pool);
}

TEST(without_pages_there_is_no_batch_and_later_there_may_be)
{
    struct batch *out[BATCH_POOL_READY + 1];
    struct batch_pool *pool = make_pool();
    acquire_some(pool, out, BATCH_POOL_READY);
    pages.short_of_memory = true;
    batch_pool_populate(pool);
    assert_null(batch_acquire(pool, false));
    assert_null(batch_acquire(pool, false));
    assert_int_equal(pages.asked, 1); /* after a failure the system is not called for each batch */
    assert_int_equal(batches_out(pool), BATCH_POOL_READY);
    assert_int_equal(batch_pool_levels(pool).small_free, COUNT - BATCH_POOL_READY);
    pages.short_of_memory = false;
    acquire_some(pool, &out[BATCH_POOL_READY], 1);
    release_all(out, BATCH_POOL_READY + 1);
    batch_pool_destroy(pool);
}

TEST(what_was_given_back_to_the_system_is_populated_anew)
{
    struct batch *out[BATCH_POOL_READY];
    struct batch_pool *pool = make_pool();
    assert_true(batch_pool_resize(pool, 0, 0));
    assert_null(batch_acquire(pool, false));
    assert_true(batch_pool_resize(pool, COUNT, 1));
    assert_int_equal(pages.populated, 2 * BATCH_POOL_READY);
    acquire_some(pool, out, BATCH_POOL_READY);
    release_all(out, BATCH_POOL_READY);
    batch_pool_destroy(pool);
}
