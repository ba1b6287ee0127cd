/*
 * Tests the tap: which batches it takes and which it only counts. It never holds more than a few
 * batches.
 */
#include <stdlib.h>

#include "collector/platform/thread.h"
#include "collector/queue/tap.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

#define PRODUCERS 2

struct fixture {
    struct batch_pool *pool;
    struct tap *tap;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->pool = batch_pool_create(32, 4);
    fixture->tap = tap_create(PRODUCERS);
    assert_non_null(fixture->pool);
    assert_non_null(fixture->tap);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    tap_destroy(fixture->tap);
    assert_int_equal(batches_out(fixture->pool), 0);
    batch_pool_destroy(fixture->pool);
    free(fixture);
    return 0;
}

/* Offers a batch of this many records to the tap, as a producer without sinks does. */
static void pass(struct fixture *fixture, size_t producer, uint32_t records, bool large)
{
    struct batch *batch = batch_acquire(fixture->pool, large);
    assert_non_null(batch);
    batch->count = records;
    tap_offer(tap_inlet(fixture->tap, producer), batch);
    batch_release(batch);
}

static uint32_t take(struct fixture *fixture)
{
    struct batch *batch = tap_next(fixture->tap);
    if (batch == NULL)
        return 0;
    uint32_t records = batch->count;
    tap_done(fixture->tap, batch);
    return records;
}

TEST_WITH(no_batch_is_taken_or_counted_while_it_is_off, set_up, tear_down)
{
    struct fixture *fixture = *state;
    pass(fixture, 0, 5, false);
    assert_int_equal(take(fixture), 0);
    assert_int_equal(batches_out(fixture->pool), 0);
    assert_int_equal(tap_passed_by(fixture->tap), 0);
}

TEST_WITH(batches_are_taken_in_order_from_all_producers_in_turn, set_up, tear_down)
{
    struct fixture *fixture = *state;
    tap_set(fixture->tap, TAP_TAKING);
    for (uint32_t i = 1; i <= 3; i++) {
        pass(fixture, 0, i, false);
        pass(fixture, 1, 10 * i, false);
    }
    uint32_t expected[] = {1, 10, 2, 20, 3, 30, 0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(take(fixture), expected[i]);
    assert_int_equal(tap_passed_by(fixture->tap), 0);
}

TEST_WITH(batches_without_room_pass_by_and_are_counted, set_up, tear_down)
{
    struct fixture *fixture = *state;
    tap_set(fixture->tap, TAP_TAKING);
    for (uint32_t i = 0; i < TAP_BATCHES + 3; i++)
        pass(fixture, 0, 7, false);
    assert_int_equal(batches_out(fixture->pool), TAP_BATCHES);
    assert_int_equal(tap_passed_by(fixture->tap), 3 * 7);
    pass(fixture, 1, 1, false); /* each producer has its own room */
    assert_int_equal(tap_passed_by(fixture->tap), 3 * 7);
    assert_int_equal(take(fixture), 7);
    pass(fixture, 0, 7, false);
    assert_int_equal(tap_passed_by(fixture->tap), 3 * 7);
}

TEST_WITH(only_one_large_batch_may_be_in_the_tap, set_up, tear_down)
{
    struct fixture *fixture = *state;
    tap_set(fixture->tap, TAP_TAKING);
    pass(fixture, 0, 1, true);
    pass(fixture, 1, 2, true);
    assert_int_equal(tap_passed_by(fixture->tap), 2);
    struct batch *batch = tap_next(fixture->tap);
    assert_non_null(batch);
    pass(fixture, 0, 4, true); /* the batch that is being read counts, too */
    assert_int_equal(tap_passed_by(fixture->tap), 2 + 4);
    tap_done(fixture->tap, batch);
    pass(fixture, 1, 8, true);
    assert_int_equal(take(fixture), 8);
    assert_int_equal(tap_passed_by(fixture->tap), 2 + 4);
}

TEST_WITH(while_it_counts_all_passes_by, set_up, tear_down)
{
    struct fixture *fixture = *state;
    tap_set(fixture->tap, TAP_TAKING);
    pass(fixture, 0, 1, false);
    tap_set(fixture->tap, TAP_COUNTING);
    pass(fixture, 0, 5, false);
    assert_int_equal(tap_passed_by(fixture->tap), 5);
    assert_int_equal(take(fixture), 1); /* batches that were taken before stay available */
    assert_int_equal(take(fixture), 0);
}

TEST_WITH(turning_it_off_releases_waiting_batches, set_up, tear_down)
{
    struct fixture *fixture = *state;
    tap_set(fixture->tap, TAP_TAKING);
    pass(fixture, 0, 1, false);
    pass(fixture, 1, 1, true);
    tap_set(fixture->tap, TAP_OFF);
    assert_int_equal(batches_out(fixture->pool), 0);
    tap_set(fixture->tap, TAP_TAKING);
    pass(fixture, 1, 3, true);
    assert_int_equal(take(fixture), 3);
    pass(fixture, 0, 1, false); /* tear_down destroys the tap, which must release this batch */
}

struct producer {
    struct fixture *fixture;
    size_t index;
};

#define BATCHES 100000

static void produce(void *argument)
{
    struct producer *producer = argument;
    for (int i = 0; i < BATCHES; i++)
        pass(producer->fixture, producer->index, 1, i % 10 == 0);
}

TEST_WITH(every_record_is_taken_or_passes_by_whatever_the_threads, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct producer producers[PRODUCERS];
    struct thread *threads[PRODUCERS];
    uint64_t taken = 0;
    tap_set(fixture->tap, TAP_TAKING);
    for (size_t i = 0; i < PRODUCERS; i++) {
        producers[i] = (struct producer){fixture, i};
        assert_int_equal(thread_start(&threads[i], "producer", produce, &producers[i], NULL), 0);
    }
    uint64_t all = (uint64_t)PRODUCERS * BATCHES;
    while (taken + tap_passed_by(fixture->tap) < all)
        taken += take(fixture);
    for (size_t i = 0; i < PRODUCERS; i++)
        thread_join(threads[i]);
    assert_true(taken > 0);
    assert_int_equal(take(fixture), 0);
    assert_int_equal(taken + tap_passed_by(fixture->tap), all);
}
