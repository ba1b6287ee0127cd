/* Tests the search for the highest rate without loss, with simulated receivers of known limits. */

#include "tests/support/test.h"
#include "tools/bench/highest_rate.h"

/*
 * A simulated machine: the highest rate of its sender, and the rate above which its receiver loses
 * datagrams.
 */
struct machine {
    double sender_most;
    double limit;
    unsigned hiccups; /* number of first runs that lose some datagrams at any rate */
    unsigned runs;
};

static void assert_same(double found, double wanted)
{
    if (found != wanted)
        fail_msg("%.17g is not %.17g", found, wanted);
}

static struct highest_rate find(struct machine *machine, double tolerance)
{
    struct highest_rate search = highest_rate_begin(tolerance);
    while (!search.done) {
        double rate = search.next == 0 ? machine->sender_most : (double)search.next;
        if (rate > machine->sender_most)
            rate = machine->sender_most;
        bool lossless = rate <= machine->limit && machine->runs >= machine->hiccups;
        machine->runs++;
        assert_in_range(machine->runs, 1, 100);
        highest_rate_print(&search, rate, lossless);
    }
    return search;
}

TEST(without_loss_at_the_fastest_one_run_is_enough)
{
    struct machine machine = {.sender_most = 265000, .limit = 1e9};
    struct highest_rate search = find(&machine, 0.03);
    assert_int_equal(machine.runs, 1);
    assert_same(search.good, 265000);
    assert_same(search.sender_most, 265000);
    assert_same(search.bad, 0);
}

TEST(the_limit_is_found_within_the_tolerance)
{
    for (double limit = 1000; limit < 990000; limit += 7919) {
        struct machine machine = {.sender_most = 1000000, .limit = limit};
        struct highest_rate search = find(&machine, 0.03);
        assert_true(search.good <= limit);
        assert_true(search.bad > limit);
        assert_true(search.bad - search.good <= 0.03 * search.bad);
        assert_same(search.sender_most, 1000000);
    }
}

TEST(one_hiccup_is_no_limit)
{
    struct machine machine = {.sender_most = 265000, .limit = 1e9, .hiccups = 1};
    struct highest_rate search = find(&machine, 0.03);
    assert_int_equal(machine.runs, 2);
    assert_same(search.good, 265000);
}

TEST(a_receiver_that_always_loses_has_no_rate)
{
    struct machine machine = {.sender_most = 265000, .limit = 0};
    assert_same(find(&machine, 0.03).good, 0);
}

/* In the second run the sender only reaches a lower rate. The search ends there. */
TEST(a_sender_that_becomes_slower_ends_the_search)
{
    struct highest_rate search = highest_rate_begin(0.03);
    highest_rate_print(&search, 1000000, false);
    highest_rate_print(&search, 1000000, false);
    assert_int_equal(search.next, 500000);
    highest_rate_print(&search, 300000, true);
    assert_true(search.done);
    assert_same(search.good, 300000);
}
