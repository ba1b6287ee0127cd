/*
 * Tests batches: a new one is empty, the last user returns it to the pool, and a pool is limited.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/record/batch.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/patience.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

static struct batch *acquire(struct batch_pool *pool, bool large)
{
    struct batch *batch = batch_acquire(pool, large);
    assert_non_null(batch);
    return batch;
}

/* --- one thread ------------------------------------------------------------------------------- */

TEST(a_fresh_batch_is_empty_and_has_its_size)
{
    struct batch_pool *pool = batch_pool_create(1, 1);
    for (int large = 0; large <= 1; large++) {
        struct batch *batch = acquire(pool, large != 0);
        assert_int_equal(batch->large, large);
        assert_int_equal(batch->count, 0);
        assert_null(batch->first);
        assert_null(batch->last);
        assert_null(batch->listener);
        assert_int_equal(batch->arena.used, 0);
        assert_int_equal(batch->arena.capacity, large ? BATCH_LARGE_SIZE : BATCH_SMALL_SIZE);
        assert_int_equal((uintptr_t)batch->arena.base % ARENA_ALIGNMENT, 0);
        /* Writes all bytes of the arena, which must be allowed. */
        memset(batch->arena.base, 0xa5, batch->arena.capacity);
        batch_release(batch);
    }
    batch_pool_destroy(pool);
}

TEST(a_used_batch_comes_back_as_a_fresh_one)
{
    static const int somebody;
    struct batch_pool *pool = batch_pool_create(1, 0);
    struct batch *batch = acquire(pool, false);
    batch->listener = (const void *)&somebody;
    while (arena_allocate(&batch->arena, 1000) != NULL)
        ;
    batch_append(batch, (struct record *)(void *)batch->arena.base);
    batch_release(batch);

    struct batch *again = acquire(pool, false);
    assert_ptr_equal(again, batch);
    assert_int_equal(again->count, 0);
    assert_null(again->first);
    assert_null(again->last);
    assert_null(again->listener);
    assert_int_equal(again->arena.used, 0);
    assert_false(again->arena.exhausted);
    batch_release(again);
    batch_pool_destroy(pool);
}

TEST(records_stand_in_the_order_they_were_appended)
{
    struct batch_pool *pool = batch_pool_create(1, 0);
    struct batch *batch = acquire(pool, false);
    struct record *records[100];
    for (size_t i = 0; i < 100; i++) {
        records[i] = arena_allocate(&batch->arena, sizeof *records[i]);
        if (records[i] == NULL)
            abort();                   /* a batch has room for a hundred records */
        records[i]->next = records[0]; /* an old value, as in memory that was used before */
        batch_append(batch, records[i]);
        assert_int_equal(batch->count, i + 1);
    }
    const struct record *record = batch->first;
    for (size_t i = 0; i < 100; i++, record = record->next)
        assert_ptr_equal(record, records[i]);
    assert_null(record);
    batch_release(batch);
    batch_pool_destroy(pool);
}

TEST(an_exhausted_pool_has_no_batch_of_that_size)
{
    struct batch_pool *pool = batch_pool_create(3, 2);
    struct batch *out[5];
    for (size_t i = 0; i < 5; i++) {
        out[i] = acquire(pool, i >= 3);
        for (size_t k = 0; k < i; k++)
            assert_ptr_not_equal(out[i], out[k]);
        assert_int_equal(batches_out(pool), i + 1);
    }
    assert_null(batch_acquire(pool, false));
    assert_null(batch_acquire(pool, true));
    batch_release(out[4]);
    assert_null(batch_acquire(pool, false)); /* a large batch is not used in place of a small one */
    assert_ptr_equal(acquire(pool, true), out[4]);
    batch_release(out[0]);
    assert_null(batch_acquire(pool, true));
    assert_ptr_equal(acquire(pool, false), out[0]);
    for (size_t i = 0; i < 5; i++)
        batch_release(out[i]);
    assert_int_equal(batches_out(pool), 0);
    batch_pool_destroy(pool);
}

TEST(the_arenas_of_a_pool_do_not_overlap)
{
    struct batch_pool *pool = batch_pool_create(3, 2);
    struct batch *out[5];
    for (int i = 0; i < 5; i++) {
        out[i] = acquire(pool, i >= 3);
        memset(out[i]->arena.base, i, out[i]->arena.capacity);
    }
    for (int i = 0; i < 5; i++) {
        const uint8_t *base = out[i]->arena.base;
        for (size_t at = 0; at < out[i]->arena.capacity; at++)
            if (base[at] != i)
                fail_msg("byte %zu of batch %d is another's", at, i);
        batch_release(out[i]);
    }
    batch_pool_destroy(pool);
}

TEST(only_the_last_release_returns_a_batch)
{
    struct batch_pool *pool = batch_pool_create(1, 0);
    struct batch *batch = acquire(pool, false);
    batch_retain(batch);
    batch_retain(batch);
    for (int readers = 3; readers > 0; readers--) {
        assert_null(batch_acquire(pool, false));
        assert_int_equal(batches_out(pool), 1);
        batch_release(batch);
    }
    assert_int_equal(batches_out(pool), 0);
    assert_ptr_equal(acquire(pool, false), batch);
    assert_null(batch_acquire(pool, false)); /* it was returned only once */
    batch_release(batch);
    batch_pool_destroy(pool);
}

TEST(a_pool_may_lack_either_size_or_all)
{
    struct batch_pool *pool = batch_pool_create(0, 1);
    assert_null(batch_acquire(pool, false));
    batch_release(acquire(pool, true));
    batch_pool_destroy(pool);

    pool = batch_pool_create(0, 0);
    assert_null(batch_acquire(pool, false));
    assert_null(batch_acquire(pool, true));
    batch_pool_destroy(pool);
    batch_pool_destroy(NULL);
}

TEST(a_pool_becomes_larger_and_smaller_while_batches_are_out)
{
    struct batch_pool *pool = batch_pool_create(2, 1);
    struct batch *out[5];
    out[0] = acquire(pool, false);
    assert_true(batch_pool_resize(pool, 5, 1));
    for (int i = 1; i < 5; i++)
        out[i] = acquire(pool, false);
    assert_null(batch_acquire(pool, false));

    assert_true(batch_pool_resize(pool, 3, 0));
    assert_null(batch_acquire(pool, true));
    batch_release(out[4]);
    batch_release(out[3]);
    assert_null(batch_acquire(pool, false));
    batch_release(out[2]);
    out[2] = acquire(pool, false);

    assert_true(batch_pool_resize(pool, 5, 2));
    for (int i = 3; i < 5; i++) {
        out[i] = acquire(pool, false);
        memset(out[i]->arena.base, i, out[i]->arena.capacity);
    }
    assert_null(batch_acquire(pool, false));
    for (int i = 0; i < 5; i++)
        batch_release(out[i]);
    out[0] = acquire(pool, true);
    out[1] = acquire(pool, true);
    assert_null(batch_acquire(pool, true));
    batch_release(out[0]);
    batch_release(out[1]);
    batch_pool_destroy(pool);
}

TEST(large_batches_become_longer_while_some_are_out)
{
    struct batch_pool *pool = batch_pool_create(1, 2);
    struct batch *before = acquire(pool, true);
    assert_true(batch_pool_resize_to(pool, 1, 2, 2 * BATCH_LARGE_SIZE));
    assert_int_equal(batch_pool_large_size(pool), 2 * BATCH_LARGE_SIZE);
    struct batch *out[2];
    for (int i = 0; i < 2; i++) {
        out[i] = acquire(pool, true);
        assert_int_equal(out[i]->arena.capacity, 2 * BATCH_LARGE_SIZE);
        memset(out[i]->arena.base, i, out[i]->arena.capacity);
    }
    assert_null(batch_acquire(pool, true));
    batch_release(before); /* smaller than the new size, so it is not used again */
    assert_null(batch_acquire(pool, true));
    assert_int_equal(batch_pool_levels(pool).large, 2);
    assert_int_equal(batch_pool_levels(pool).large_free, 0);

    /* The smaller size has no effect on a batch that exists. */
    assert_true(batch_pool_resize_to(pool, 1, 3, BATCH_LARGE_SIZE));
    before = acquire(pool, true);
    assert_int_equal(before->arena.capacity, 2 * BATCH_LARGE_SIZE);
    batch_release(before);
    for (int i = 0; i < 2; i++)
        batch_release(out[i]);
    assert_int_equal(batch_pool_levels(pool).large_free, 3);
    batch_pool_destroy(pool);
}

/* --- many threads ----------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  2000

struct contest {
    struct batch_pool *pool;
    _Atomic unsigned ready;
    _Atomic size_t acquired;
    _Atomic size_t faults;
};

static void use_alone(struct contest *contest, struct batch *batch, uint64_t mark)
{
    uint64_t *words = arena_allocate(&batch->arena, 64 * sizeof *words);
    for (size_t i = 0; i < 64; i++)
        words[i] = mark + i;
    for (size_t i = 0; i < 64; i++)
        contest->faults += words[i] != mark + i;
    contest->faults += batch->arena.used != 64 * sizeof *words;
}

static void acquire_and_release(void *argument)
{
    struct contest *contest = argument;
    uint64_t random = atomic_fetch_add(&contest->ready, 1);
    int64_t until = patience_until();
    while (atomic_load(&contest->ready) < THREADS && patience(until))
        ;
    for (int round = 0; round < ROUNDS; round++) {
        struct batch *batch = batch_acquire(contest->pool, next_random(&random) % 4 == 0);
        if (batch == NULL)
            continue;
        atomic_fetch_add(&contest->acquired, 1);
        use_alone(contest, batch, random);
        batch_release(batch);
    }
}

static void run_threads(void (*run)(void *), void *argument)
{
    struct thread *threads[THREADS];
    struct error error;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "contestant", run, argument, &error), 0);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
}

TEST(a_batch_has_one_owner_among_many_threads)
{
    struct contest contest = {.pool = batch_pool_create(2, 1)};
    run_threads(acquire_and_release, &contest);
    assert_int_equal(contest.faults, 0);
    assert_in_range(contest.acquired, 1, THREADS * ROUNDS);
    assert_int_equal(batches_out(contest.pool), 0);
    struct batch *out[3] = {acquire(contest.pool, false), acquire(contest.pool, false),
                            acquire(contest.pool, true)};
    assert_null(batch_acquire(contest.pool, false));
    assert_null(batch_acquire(contest.pool, true));
    for (int i = 0; i < 3; i++)
        batch_release(out[i]);
    batch_pool_destroy(contest.pool);
}

#define SHARED_ROUNDS 500

struct sharing {
    struct batch_pool *pool;
    struct batch *_Atomic shared[SHARED_ROUNDS];
    _Atomic size_t sum;
};

static void read_and_release(void *argument)
{
    struct sharing *sharing = argument;
    int64_t until = patience_until();
    for (size_t round = 0; round < SHARED_ROUNDS; round++) {
        struct batch *batch;
        while ((batch = atomic_load(&sharing->shared[round])) == NULL)
            if (!patience(until))
                return;
        atomic_fetch_add(&sharing->sum, *(const size_t *)(const void *)batch->arena.base);
        batch_release(batch);
    }
}

/*
 * There is one batch, which is filled again in each round. This is a data race unless all readers
 * have released the batch.
 */
TEST(a_shared_batch_is_refilled_only_after_all_readers)
{
    static struct sharing sharing;
    struct thread *threads[THREADS];
    struct error error;
    sharing.pool = batch_pool_create(1, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "reader", read_and_release, &sharing, &error),
                         0);
    int64_t until = patience_until();
    for (size_t round = 0; round < SHARED_ROUNDS; round++) {
        struct batch *batch;
        while ((batch = batch_acquire(sharing.pool, false)) == NULL)
            assert_true(patience(until));
        *(size_t *)arena_allocate(&batch->arena, sizeof(size_t)) = round;
        for (int i = 1; i < THREADS; i++)
            batch_retain(batch);
        atomic_store(&sharing.shared[round], batch);
    }
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    assert_int_equal(sharing.sum, (size_t)THREADS * SHARED_ROUNDS * (SHARED_ROUNDS - 1) / 2);
    assert_int_equal(batches_out(sharing.pool), 0);
    batch_pool_destroy(sharing.pool);
}

TEST(a_pool_reports_how_much_of_each_size_is_free)
{
    struct batch_pool *pool = batch_pool_create(3, 2);
    struct batch *small = batch_acquire(pool, false);
    struct batch *large[2] = {batch_acquire(pool, true), batch_acquire(pool, true)};
    struct batch_pool_levels levels = batch_pool_levels(pool);
    assert_int_equal(levels.small, 3);
    assert_int_equal(levels.small_free, 2);
    assert_int_equal(levels.large, 2);
    assert_int_equal(levels.large_free, 0);
    batch_release(large[0]);
    assert_int_equal(batch_pool_levels(pool).large_free, 1);
    batch_release(large[1]);
    batch_release(small);
    assert_int_equal(batch_pool_levels(pool).small_free, 3);
    batch_pool_destroy(pool);
}
