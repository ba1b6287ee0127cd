/*
 * Breaking a rule of collector/output/sink_thread.h aborts the program. An error of the system
 * breaks no rule.
 */
#include <errno.h>
#include <pthread.h>

#include "collector/platform/thread.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static struct fake_sink *sink;
static bool no_threads; /* pthread_create fails, as if the user had too many threads */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

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
    fake_sink_close(sink);
    sink_thread_join(sink->sink);
    sink_thread_add_queue(sink->sink, 1, 1, false);
}

TEST_WITH(a_sink_that_has_finished_has_no_more_queues, set_up, fake_sink_tear_down)
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

static void wake_nobody(void *context)
{
    (void)context;
}

static void write_in_another_thread(void *argument)
{
    (void)argument;
    sink_thread_run_quantum(sink->sink);
}

static void write_in_two_threads(void)
{
    static struct heartbeat heartbeat;
    const struct sink_host host = {.wake = wake_nobody, .heartbeat = &heartbeat};
    struct thread *thread;
    struct error error;
    sink_thread_set_host(sink->sink, &host);
    sink_thread_start(sink->sink, &error);
    sink_thread_run_quantum(sink->sink);
    thread_start(&thread, "other", write_in_another_thread, NULL, &error);
    thread_join(thread);
}

TEST_WITH(a_sink_writes_in_one_thread, set_up, fake_sink_tear_down)
{
    (void)state;
    fake_sink_create(sink);
    assert_aborts(write_in_two_threads);
}

static void fail_to_start(void)
{
    struct error error;
    no_threads = true;
    assert_int_equal(sink_thread_start(sink->sink, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    no_threads = false;
}

TEST_WITH(a_sink_that_could_not_start_is_tried_again, set_up, fake_sink_tear_down)
{
    (void)state;
    struct error error;
    fake_sink_create(sink);
    fail_to_start();
    fail_to_start();
    assert_int_equal(sink_thread_start(sink->sink, &error), 0);
    fake_sink_push(sink, 0, "a", 1);
    fake_sink_finish(sink);
    assert_int_equal(counter_read(&sink->counters->written), 1);
}

TEST_WITH(a_sink_that_could_not_start_is_given_up, set_up, fake_sink_tear_down)
{
    (void)state;
    fake_sink_create(sink);
    fail_to_start();
    fake_sink_push(sink, 0, "a", 1);
    sink_thread_give_up(sink->sink);
    assert_true(sink_thread_has_finished(sink->sink));
    assert_int_equal(counter_read(&sink->counters->failed[FAILED_IO_ERROR]), 1);
}
