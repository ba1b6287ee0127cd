/*
 * Tests a sink that a host runs step by step: it never waits, continues where it stopped, and
 * misses no wake-up. The test is the host.
 */
#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)

static size_t woken;

static void wake(void *context)
{
    (void)context;
    woken++;
}

static int start(struct fake_sink *sink)
{
    static struct heartbeat heartbeat;
    const struct sink_host host = {.wake = wake, .heartbeat = &heartbeat};
    struct error error;
    woken = 0;
    fake_sink_create(sink);
    sink_thread_set_host(sink->sink, &host);
    return sink_thread_start(sink->sink, &error);
}

static int set_up(void **state)
{
    fake_sink_set_up(state);
    return start(*state);
}

static void finish(struct fake_sink *sink)
{
    fake_sink_close(sink);
    sink_thread_finish(sink->sink);
    fake_sink_join(sink);
}

static void script(struct fake_sink *sink, const struct fake_write *steps, size_t count,
                   bool repeats)
{
    sink->script = steps;
    sink->script_length = count;
    sink->repeat_last = repeats;
}

static int set_up_at_once(void **state)
{
    fake_sink_set_up(state);
    ((struct fake_sink *)*state)->settings.at_once = true;
    return start(*state);
}

TEST_WITH(what_is_wanted_at_once_is_not_late_in_a_file_either, set_up_at_once, fake_sink_tear_down)
{
    struct fake_sink *sink = *state;
    sink_thread_run_quantum(sink->sink);
    assert_int_equal(sink_thread_delay_ns(sink->sink), 0);
    finish(sink);
}

static bool is_terminal(const struct destination *destination)
{
    (void)destination;
    return true;
}

TEST_WITH(how_late_a_record_may_be_depends_on_its_reader, set_up, fake_sink_tear_down)
{
    struct fake_sink *sink = *state;
    /* Before its first quantum the sink does not know the kind of its destination. */
    assert_int_equal(sink_thread_delay_ns(sink->sink), 0);
    sink_thread_run_quantum(sink->sink);
    /* The destination is not a terminal, so the longest delay is allowed. */
    assert_int_equal(sink_thread_delay_ns(sink->sink), SINK_DELAY_MOST_NS);
    sink->stream.is_watched = is_terminal;
    sink_thread_reopen(sink->sink); /* the next destination may be of another kind */
    sink_thread_run_quantum(sink->sink);
    assert_int_equal(sink_thread_delay_ns(sink->sink), 0);
    finish(sink);
}

/*
 * Runs quanta until none is due. Returns the time of the next one. On a busy machine a single step
 * may use up a quantum.
 */
static int64_t run_quanta(const struct fake_sink *sink)
{
    int64_t next_ns;
    do
        next_ns = sink_thread_run_quantum(sink->sink);
    while (next_ns <= clock_monotonic_ns());
    return next_ns;
}

static void write_until(const struct fake_sink *sink, size_t size)
{
    int64_t until = patience_until();
    do
        sink_thread_run_quantum(sink->sink);
    while (sink->size < size && patience(until));
}

TEST_WITH(a_quantum_writes_what_is_queued, set_up, fake_sink_tear_down)
{
    struct fake_sink *sink = *state;
    fake_sink_push(sink, 0, "a", 2);
    fake_sink_push(sink, 1, "b", 1);
    assert_int_equal(sink->size, 0);
    assert_int_equal(run_quanta(sink), INT64_MAX);
    fake_sink_assert_wrote(sink, "a\na\nb\n", 3);
    finish(sink);
}

TEST_WITH(a_quantum_returns_if_the_destination_blocks_and_the_next_one_continues, set_up,
          fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *sink = *state;
    script(sink, steps, 1, false);
    fake_sink_push(sink, 0, "a", 1);
    int64_t next_ns = sink_thread_run_quantum(sink->sink);
    assert_true(next_ns < clock_monotonic_ns() + SECOND);
    assert_int_equal(fake_sink_committed(sink), 0);
    assert_false(sink_thread_is_idle(sink->sink));
    /* After this wake-up the sink must try its destination again at once. */
    sink_thread_make_room(sink->sink);
    run_quanta(sink);
    fake_sink_assert_wrote(sink, "a\n", 1);
    assert_true(sink_thread_is_idle(sink->sink));
    finish(sink);
}

TEST_WITH(what_stopped_half_way_is_written_once, set_up, fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_OK, 3}, {WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *sink = *state;
    script(sink, steps, 2, false);
    fake_sink_push(sink, 0, "first", 1);
    fake_sink_push(sink, 0, "second", 1);
    write_until(sink, 3);
    assert_int_equal(sink->size, 3);
    fake_sink_push(sink, 0, "third", 1);
    sink_thread_make_room(sink->sink);
    write_until(sink, strlen("first\nsecond\nthird\n"));
    fake_sink_assert_wrote(sink, "first\nsecond\nthird\n", 3);
    finish(sink);
}

TEST_WITH(the_pauses_for_a_blocked_destination_grow, set_up, fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *sink = *state;
    script(sink, steps, 1, true);
    fake_sink_push(sink, 0, "a", 1);
    int64_t before = clock_monotonic_ns();
    for (int i = 0; i < 20; i++)
        sink_thread_run_quantum(sink->sink);
    int64_t next_ns = sink_thread_run_quantum(sink->sink);
    assert_true(next_ns >= before + 16 * SECOND / 1000);
    assert_true(next_ns <= clock_monotonic_ns() + 16 * SECOND / 1000);
    assert_int_equal(atomic_load(&sink->writes), 1); /* no second write was tried */
    sink_thread_stop(sink->sink, before);
    finish(sink);
}

TEST_WITH(a_destination_that_is_ready_and_accepts_no_byte_gets_a_pause_as_well, set_up,
          fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *sink = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    sink->handle = wait_end_handle(end);
    script(sink, steps, 1, true);
    fake_sink_push(sink, 0, "a", 1);
    int64_t left_ns = 0;
    int64_t until = patience_until();
    while (left_ns < SECOND / 1000 && patience(until))
        left_ns = sink_thread_run_quantum(sink->sink) - clock_monotonic_ns();
    assert_in_range(left_ns, SECOND / 1000, SECOND / 100);
    sink_thread_stop(sink->sink, clock_monotonic_ns());
    finish(sink);
    wait_end_close(end);
}

TEST_WITH(its_host_is_woken_for_a_reopening_and_for_the_stop, set_up, fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *sink = *state;
    script(sink, steps, 1, true);
    sink_thread_reopen(sink->sink);
    assert_int_equal(woken, 1);
    sink_thread_run_quantum(sink->sink);
    assert_int_equal(sink->reopens, 1);
    fake_sink_push(sink, 0, "a", 1);
    sink_thread_run_quantum(sink->sink);
    sink_thread_stop(sink->sink, clock_monotonic_ns());
    assert_int_equal(woken, 2);
    sink_thread_run_quantum(sink->sink);
    assert_int_equal(counter_read(&sink->counters->failed[FAILED_STOP_TIMEOUT]), 1);
    finish(sink);
}

TEST_WITH(its_end_writes_what_is_left, set_up, fake_sink_tear_down)
{
    static const struct fake_write steps[] = {{WRITE_WOULD_BLOCK, 0}, {WRITE_OK, 1}};
    struct fake_sink *sink = *state;
    script(sink, steps, 2, false);
    fake_sink_push(sink, 0, "a", 1);
    sink_thread_run_quantum(sink->sink);
    fake_sink_push(sink, 2, "b", 1);
    sink_thread_make_room(sink->sink);
    fake_sink_close(sink);
    sink_thread_finish(sink->sink);
    fake_sink_assert_wrote(sink, "a\nb\n", 2);
    fake_sink_join(sink);
}
