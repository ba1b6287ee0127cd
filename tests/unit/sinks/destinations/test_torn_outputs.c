/* Tests how several threads note outputs that end in an incomplete line. */
#include "sinks/destinations/torn_outputs.h"

#include <stdatomic.h>

#include "collector/platform/thread.h"
#include "tests/support/test.h"

#define THREADS 4
#define TIMES   2000

TEST(a_place_is_taken_as_often_as_it_was_left_and_no_other_is)
{
    torn_outputs_add("a");
    torn_outputs_add("b");
    torn_outputs_add("a");
    assert_false(torn_outputs_remove("c"));
    assert_true(torn_outputs_remove("a"));
    assert_true(torn_outputs_remove("a"));
    assert_false(torn_outputs_remove("a"));
    assert_true(torn_outputs_remove("b"));
    assert_false(torn_outputs_remove("b"));
}

static atomic_int begun;

static void leave_places(void *argument)
{
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < THREADS)
        continue;
    for (int i = 0; i < TIMES; i++)
        torn_outputs_add(argument);
}

TEST(none_is_lost_where_several_threads_leave_them_at_a_time)
{
    static char name[] = "a";
    struct thread *threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(thread_start(&threads[i], "leave", leave_places, name, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    for (int i = 0; i < THREADS * TIMES; i++)
        assert_true(torn_outputs_remove(name));
    assert_false(torn_outputs_remove(name));
}
