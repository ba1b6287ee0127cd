/* How far the bench says that it has come. */
#include "collector/base/progress.h"
#include "tests/support/test.h"
#include "tools/bench/steps.h"

static struct progress last;
static bool ended;

static void watch(const struct progress *now)
{
    ended = now == NULL;
    if (now != NULL)
        last = *now;
}

static double share(void)
{
    return (double)last.done / (double)last.total;
}

TEST(each_part_counts_as_much_as_any_other_and_its_steps_within_it)
{
    progress_watch(watch);
    steps_begin_part("receive", 1, 4);
    assert_string_equal(last.doing, "measuring");
    assert_string_equal(last.name, "receive");
    assert_true(share() == 0.25);
    steps_expect(2);
    steps_next();
    assert_true(share() == 0.25);
    steps_next();
    assert_true(share() == 0.375);
    steps_begin_part("rates", 2, 4);
    assert_true(share() == 0.5);
    steps_end();
    assert_true(ended);
    progress_watch(NULL);
}

TEST(more_steps_than_expected_do_not_reach_the_next_part)
{
    progress_watch(watch);
    steps_begin_part("rates", 0, 2);
    steps_expect(3);
    for (int i = 0; i < 10; i++) {
        steps_next();
        assert_true(share() < 0.5);
    }
    progress_watch(NULL);
}

TEST(where_nobody_knows_how_many_steps_there_are_a_part_stays_at_its_begin)
{
    progress_watch(watch);
    steps_begin_part("decode", 0, 1);
    steps_next();
    steps_next();
    assert_true(share() == 0);
    progress_watch(NULL);
}
