/* The search for the highest rate without loss, on receivers whose limit is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/bench/highest_rate.h"

/* A machine: what its sender can send at most, and from where on its receiver loses. */
struct machine {
    double sender_most;
    double limit;
    unsigned hiccups; /* runs, from the first on, that lose something though they should not */
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
        highest_rate_tell(&search, rate, lossless);
    }
    return search;
}

static void without_loss_at_the_fastest_one_run_is_enough(void **state)
{
    (void)state;
    struct machine machine = {.sender_most = 265000, .limit = 1e9};
    struct highest_rate search = find(&machine, 0.03);
    assert_int_equal(machine.runs, 1);
    assert_same(search.good, 265000);
    assert_same(search.sender_most, 265000);
    assert_same(search.bad, 0);
}

static void the_limit_is_found_within_the_tolerance(void **state)
{
    (void)state;
    for (double limit = 1000; limit < 990000; limit += 7919) {
        struct machine machine = {.sender_most = 1000000, .limit = limit};
        struct highest_rate search = find(&machine, 0.03);
        assert_true(search.good <= limit);
        assert_true(search.bad > limit);
        assert_true(search.bad - search.good <= 0.03 * search.bad);
        assert_same(search.sender_most, 1000000);
    }
}

static void one_hiccup_is_no_limit(void **state)
{
    (void)state;
    struct machine machine = {.sender_most = 265000, .limit = 1e9, .hiccups = 1};
    struct highest_rate search = find(&machine, 0.03);
    assert_int_equal(machine.runs, 2);
    assert_same(search.good, 265000);
}

static void a_receiver_that_always_loses_has_no_rate(void **state)
{
    (void)state;
    struct machine machine = {.sender_most = 265000, .limit = 0};
    assert_same(find(&machine, 0.03).good, 0);
}

/* The second time it comes to less: what it can do now is the end of the range. */
static void a_sender_that_becomes_slower_ends_the_search(void **state)
{
    (void)state;
    struct highest_rate search = highest_rate_begin(0.03);
    highest_rate_tell(&search, 1000000, false);
    highest_rate_tell(&search, 1000000, false);
    assert_int_equal(search.next, 500000);
    highest_rate_tell(&search, 300000, true);
    assert_true(search.done);
    assert_same(search.good, 300000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_loss_at_the_fastest_one_run_is_enough),
        cmocka_unit_test(the_limit_is_found_within_the_tolerance),
        cmocka_unit_test(one_hiccup_is_no_limit),
        cmocka_unit_test(a_receiver_that_always_loses_has_no_rate),
        cmocka_unit_test(a_sender_that_becomes_slower_ends_the_search),
    };
    return cmocka_run_group_tests_name("bench_highest_rate", tests, NULL, NULL);
}
