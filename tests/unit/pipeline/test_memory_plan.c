/* Tests how the memory budget is divided. */
#include <stdio.h>
#include <string.h>

#include "collector/pipeline/memory_plan.h"
#include "collector/queue/batch_queue.h"
#include "collector/queue/tap.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sequence.h"
#include "tests/support/test.h"

static const struct memory_needs plain = {.receivers = 2, .fan_outs = 2, .sinks = 2, .ingests = 3};
static const struct memory_needs asked = {
    .receivers = 2, .fan_outs = 2, .sinks = 2, .ingests = 3, .control = true, .senders = true};

static struct memory_plan plan_of(uint64_t budget, const struct memory_needs *needs)
{
    struct memory_plan plan;
    struct error error;
    if (memory_plan_make(&plan, budget, needs, &error) != 0)
        fail_msg("%s", error.text);
    return plan;
}

TEST(a_budget_that_was_given_is_kept)
{
    for (uint64_t budget = UINT64_C(64) << 20; budget < UINT64_C(1) << 32; budget *= 2) {
        assert_in_range(plan_of(budget, &plain).total, budget * 9 / 10, budget);
        assert_in_range(plan_of(budget, &asked).total, budget * 9 / 10, budget);
    }
}

TEST(who_may_ask_shortens_no_queue_where_no_budget_was_given)
{
    struct memory_plan without = plan_of(0, &plain);
    struct memory_plan with = plan_of(0, &asked);
    assert_int_equal(with.ring_capacity, without.ring_capacity);
    assert_int_equal(with.small_batches - without.small_batches, 2 * TAP_BATCHES + 1);
    assert_int_equal(with.large_batches - without.large_batches, TAP_LARGE);
    assert_true(with.total > without.total);
}

TEST(the_parts_of_a_plan_are_its_total_and_fit_into_their_text)
{
    struct memory_needs most = asked;
    most.rate_limits = most.ingests = most.sinks = 4000;
    most.dead_letters = true;
    most.sink_memory = most.source_memory = most.reserved = UINT64_C(1) << 45;
    const struct memory_needs *all[] = {&plain, &asked, &most};
    for (size_t i = 0; i < 3; i++) {
        struct memory_plan plan = plan_of(0, all[i]);
        const struct memory_parts *parts = &plan.parts;
        assert_int_equal(parts->queues + parts->large_batches + parts->listeners + parts->senders +
                             parts->sinks + parts->rest,
                         plan.total);
        char text[MEMORY_PLAN_TEXT_SIZE], expected[32];
        memory_plan_describe(&plan, text, sizeof text);
        assert_true(strlen(text) < sizeof text - 1);
        snprintf(expected, sizeof expected, "others %.1f", (double)parts->rest / 1048576.0);
        assert_string_equal(strrchr(text, ',') + 2, expected);
    }
}

/*
 * Returns the memory of each sink after a reload that keeps one sink and replaces one, while
 * removed sinks hold `held` batches.
 */
static struct memory_share share_of(const struct memory_plan *plan, uint64_t held)
{
    const struct memory_sharers sharers = {.kept = 1, .successors = 1, .held = held};
    return memory_plan_share(plan, false, &sharers);
}

TEST(removed_sinks_that_hold_few_batches_shorten_no_queue_much)
{
    struct memory_plan plan = plan_of(0, &plain);
    size_t most = plan.ring_capacity;
    assert_int_equal(share_of(&plan, 0).kept, most);
    assert_int_equal(share_of(&plan, 0).successors, most);
    struct memory_share share = share_of(&plan, plan.fan_outs * 10);
    assert_in_range(share.kept, most - 10, most);
    assert_in_range(share.successors, most - 10, most);
    assert_int_equal(share.extra, 0);
}

TEST(each_generation_of_stalled_successors_leaves_the_kept_sink_half)
{
    struct memory_plan plan = plan_of(0, &plain);
    size_t most = plan.ring_capacity;
    uint64_t held = plan.fan_outs * most, batches = 2 * held;
    size_t before = most;
    for (int i = 0; i < 10; i++) {
        struct memory_share share = share_of(&plan, held);
        assert_true(share.kept >= most / 2);
        assert_in_range(share.successors, MEMORY_SHORT_RING, before);
        uint64_t taken = plan.fan_outs * (share.kept + share.successors);
        assert_true(held + taken <= batches + share.extra);
        assert_true(i > 0 || share.extra == 0);
        before = share.successors;
        held += plan.fan_outs * share.successors;
    }
}

TEST(large_batches_are_shared_by_the_same_rule)
{
    struct memory_plan plan = plan_of(0, &plain);
    const struct memory_sharers sharers = {
        .kept = 1, .successors = 1, .held = plan.fan_outs * BATCH_QUEUE_LARGE};
    struct memory_share share = memory_plan_share(&plan, true, &sharers);
    assert_int_equal(share.successors, 1);
    assert_int_equal(share.kept, BATCH_QUEUE_LARGE - 1);
    assert_int_equal(share.extra, 0);
}

TEST(a_rate_limit_shortens_no_queue_where_no_budget_was_given)
{
    struct memory_needs limited = plain;
    limited.rate_limits = 2;
    struct memory_plan without = plan_of(0, &plain);
    struct memory_plan with = plan_of(0, &limited);
    assert_int_equal(with.ring_capacity, without.ring_capacity);
    assert_int_equal(with.total, without.total + 2 * rate_limit_memory());
    uint64_t budget = UINT64_C(64) << 20;
    assert_in_range(plan_of(budget, &limited).total, budget * 9 / 10, budget);
}

TEST(windows_of_senders_that_are_spread_shorten_no_queue_where_no_budget_was_given)
{
    struct memory_needs spread = plain;
    spread.spread_window = sequence_spread_window(0);
    struct memory_plan without = plan_of(0, &plain);
    struct memory_plan with = plan_of(0, &spread);
    assert_int_equal(with.ring_capacity, without.ring_capacity);
    assert_int_equal(with.total, without.total + sequence_spread_memory(spread.spread_window));
    assert_int_equal(with.spread_window, spread.spread_window);
    spread.senders = true;
    assert_int_equal(plan_of(0, &spread).ring_capacity, without.ring_capacity);
}

/* In the second plan all 16 receivers share one fan-out, so its ring can be 16 times as long. */
TEST(threads_of_one_feed_have_as_long_a_ring_as_each_would_alone)
{
    struct memory_needs apart = {.receivers = 16, .fan_outs = 16, .sinks = 1, .ingests = 16};
    struct memory_needs together = apart;
    together.fan_outs = 1;
    assert_true(plan_of(0, &apart).ring_capacity >= MEMORY_DEFAULT_RING);
    assert_true(plan_of(0, &together).ring_capacity >= 16 * MEMORY_DEFAULT_RING);
}

TEST(a_budget_that_is_too_small_says_what_is_enough)
{
    struct memory_plan plan;
    struct error error;
    assert_int_equal(memory_plan_make(&plan, 1024, &asked, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    const char *number = strstr(error.text, "at least ");
    assert_non_null(number);
    uint64_t least = 0;
    for (number += strlen("at least "); *number >= '0' && *number <= '9'; number++)
        least = 10 * least + (uint64_t)(*number - '0');
    assert_int_equal(memory_plan_make(&plan, (least - 1) * 1024, &asked, &error), -1);
    assert_int_equal(plan_of(least * 1024, &asked).ring_capacity, MEMORY_SMALLEST_RING);
}
