/*
 * Tests a claim on a socket: only one thread serves the socket at a time, and no event is lost in
 * that time.
 */

#include "collector/base/claim.h"
#include "collector/platform/thread.h"
#include "tests/support/test.h"

TEST(a_claim_has_one_holder)
{
    struct claim claim;
    claim_init(&claim);
    assert_true(claim_try(&claim));
    assert_false(claim_try(&claim));
    assert_true(claim_give_up(&claim));
    assert_true(claim_take_or_mark(&claim));
    assert_true(claim_give_up(&claim));
}

TEST(a_failed_try_leaves_no_mark)
{
    struct claim claim;
    claim_init(&claim);
    assert_true(claim_try(&claim));
    assert_false(claim_try(&claim));
    assert_true(claim_give_up(&claim));
}

TEST(a_marked_claim_is_given_up_only_after_one_more_round)
{
    struct claim claim;
    claim_init(&claim);
    assert_true(claim_try(&claim));
    assert_false(claim_take_or_mark(&claim));
    assert_false(claim_take_or_mark(&claim));
    assert_false(claim_give_up(&claim));
    assert_false(claim_try(&claim));
    assert_true(claim_give_up(&claim));
}

struct race {
    struct claim claim;
    _Atomic unsigned arrived;
    unsigned drained; /* only the holder of the claim uses it */
};

#define ROUNDS 200000

static void drain_until_given_up(struct race *race)
{
    do
        race->drained = atomic_load(&race->arrived);
    while (!claim_give_up(&race->claim));
}

static void report_and_serve(void *context)
{
    struct race *race = context;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&race->arrived, 1);
        if (claim_take_or_mark(&race->claim))
            drain_until_given_up(race);
    }
}

TEST(of_several_threads_that_are_notified_the_last_arrival_is_drained)
{
    struct race race = {.drained = 0};
    struct thread *threads[3];
    struct error error;
    claim_init(&race.claim);
    for (int i = 0; i < 3; i++)
        assert_int_equal(thread_start(&threads[i], "claim", report_and_serve, &race, &error), 0);
    for (int i = 0; i < 3; i++)
        thread_join(threads[i]);
    assert_int_equal(race.drained, 3 * ROUNDS);
    assert_true(claim_try(&race.claim));
}
