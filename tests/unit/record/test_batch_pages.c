/* When small batches get their pages, in which thread, and what happens if there are none. */
#include "collector/platform/machine.h"
#include "collector/record/batch.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

#define COUNT (4 * BATCH_POOL_READY)

bool __real_aligned_memory_populate(void *memory, size_t size);
bool __wrap_aligned_memory_populate(void *memory, size_t size);

static struct {
    size_t populated;
    size_t asked; /* number of calls that request pages */
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

TEST(reused_batches_take_no_more_pages)
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

TEST(more_batches_are_requested_once_and_early)
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

TEST(the_acquiring_thread_populates_if_no_other_does)
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

TEST(discarded_pages_are_populated_again)
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
