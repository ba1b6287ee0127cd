/* The rules of collector/output/sink_thread.h: breaking one aborts the program. */
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static struct fake_sink *sink; /* of the test that runs */

static int set_up(void **state)
{
    int result = fake_sink_set_up(state);
    sink = *state;
    return result;
}

static void start_unopened(void)
{
    struct error error;
    fake_sink_make_closed(sink);
    sink_thread_start(sink->sink, &error);
}

TEST_WITH(a_sink_is_open_before_it_starts, set_up, fake_sink_tear_down)
{
    (void)state;
    assert_aborts(start_unopened);
}

static void start_twice(void)
{
    struct error error;
    fake_sink_start(sink);
    sink_thread_start(sink->sink, &error);
}

TEST_WITH(a_sink_starts_once, set_up, fake_sink_tear_down)
{
    (void)state;
    assert_aborts(start_twice);
}

static void add_a_queue_late(void)
{
    fake_sink_start(sink);
    sink_thread_add_queue(sink->sink, 1, 1, false);
}

TEST_WITH(a_sink_has_its_queues_before_it_starts, set_up, fake_sink_tear_down)
{
    (void)state;
    assert_aborts(add_a_queue_late);
}

static void give_up_late(void)
{
    fake_sink_start(sink);
    sink_thread_give_up(sink->sink);
}

TEST_WITH(a_sink_that_has_started_is_not_given_up, set_up, fake_sink_tear_down)
{
    (void)state;
    assert_aborts(give_up_late);
}

static void destroy_unjoined(void)
{
    fake_sink_start(sink);
    sink_thread_destroy(sink->sink);
}

TEST_WITH(a_sink_is_joined_before_it_is_destroyed, set_up, fake_sink_tear_down)
{
    (void)state;
    assert_aborts(destroy_unjoined);
}
