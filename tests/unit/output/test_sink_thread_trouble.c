/* Tests a sink whose destination blocks, fails, ends, or is too slow: each record is counted. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

#define COUNT(script) (sizeof(script) / sizeof(script)[0])

static uint64_t failed(const struct fake_sink *fake, enum record_failure reason)
{
    return counter_read(&fake->counters->failed[reason]);
}

static void set_script(struct fake_sink *fake, const struct fake_write *script, size_t length)
{
    fake->script = script;
    fake->script_length = length;
}

static struct wait_end *make_pipe(struct fake_sink *fake)
{
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    fake->handle = wait_end_handle(end);
    return end;
}

/* --- counting lines of the log ---------------------------------------------------------------- */

static size_t occurrences(const char *log, const char *text)
{
    size_t found = 0;
    for (const char *at = strstr(log, text); at != NULL; at = strstr(at + 1, text))
        found++;
    return found;
}

/* --- would block ------------------------------------------------------------------------------ */

TEST_WITH(a_write_that_would_block_is_tried_again_when_the_handle_is_writable, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {
        {WRITE_WOULD_BLOCK, 0},
        {WRITE_OK, 2},
        {WRITE_WOULD_BLOCK, 0},
        {WRITE_OK, 3},
    };
    struct wait_end *end = make_pipe(fake);
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 3);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\n", 3);
    assert_int_equal(counter_read(&fake->counters->write_errors), 0);
    wait_end_close(end);
}

TEST_WITH(a_sink_waits_for_a_reader_that_stalls, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_WOULD_BLOCK, 0}};
    struct wait_end *end = make_pipe(fake);
    wait_end_fill(end);
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_wait_writes(fake, 1);
    fake_sink_push(fake, 0, "y", 1);
    assert_int_equal(fake_sink_committed(fake), 0);
    assert_int_equal(atomic_load(&fake->writes), 1);
    wait_end_is_read(end);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "x\ny\n", 2);
    wait_end_close(end);
}

/* The destination has room for one byte, but needs two for a newline, as a terminal may. */
TEST_WITH(a_destination_that_is_ready_and_accepts_no_byte_gets_a_pause_each_time, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {
        {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0},
        {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0},
        {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0},
        {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0}, {WRITE_WOULD_BLOCK, 0},
        {WRITE_WOULD_BLOCK, 0}, {WRITE_OK, 1},
    };
    struct wait_end *end = make_pipe(fake);
    int64_t begun_ns = clock_monotonic_ns();
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 2);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\n", 2);
    /* After ten tries in a row the sink waits 10 ms. */
    assert_true(clock_monotonic_ns() - begun_ns >= 3 * INT64_C(10000000));
    wait_end_close(end);
}

/* --- writes that fail ------------------------------------------------------------------------- */

TEST_WITH(a_write_that_failed_is_tried_again, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {
        {WRITE_FAILED, 0},
        {WRITE_FAILED, 0},
        {WRITE_OK, 2},
        {WRITE_FAILED, 0},
    };
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 2);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\n", 2);
    assert_int_equal(counter_read(&fake->counters->write_errors), 3);
    for (int i = 0; i < FAILURE_COUNT; i++)
        assert_int_equal(failed(fake, (enum record_failure)i), 0);
}

TEST_WITH(a_destination_that_fails_to_the_deadline_is_an_io_error, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 2);
    fake_sink_wait_writes(fake, 2);
    fake_sink_push(fake, 0, "abc", 3);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_finish(fake);
    assert_int_equal(fake->size, 0);
    assert_int_equal(failed(fake, FAILED_IO_ERROR), 5);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 0);
}

/* A disk that is full now and then is reported, but not after each failure. */
TEST_WITH(a_destination_that_fails_now_and_then_gets_longer_pauses_and_one_report, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {
        {WRITE_FAILED, 0}, {WRITE_OK, 1}, {WRITE_FAILED, 0}, {WRITE_OK, 1},
        {WRITE_FAILED, 0}, {WRITE_OK, 1}, {WRITE_FAILED, 0}, {WRITE_OK, 1},
        {WRITE_FAILED, 0}, {WRITE_OK, 1}, {WRITE_FAILED, 0},
    };
    set_script(fake, script, COUNT(script));
    int64_t began = clock_monotonic_ns();
    standard_stream_take(STREAM_ERROR);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abcdef", 1);
    fake_sink_finish(fake);
    int64_t seconds = (clock_monotonic_ns() - began) / 1000000000;
    char *log = standard_stream_end_taking(STREAM_ERROR);
    size_t again = occurrences(log, "writing again");
    assert_int_equal(again, occurrences(log, "trying again"));
    assert_in_range(again, 1, 1 + seconds);
    free(log);
    fake_sink_assert_wrote(fake, "abcdef\n", 1);
    assert_int_equal(counter_read(&fake->counters->write_errors), 6);
    /* The pauses are 10, 20, 40, 80, 160 and 320 ms, and not 10 ms each. */
    assert_true(clock_monotonic_ns() - began >= INT64_C(600000000));
}

/* --- reopening after a failure ---------------------------------------------------------------- */

/* Pushes three records, which are one block, and requests a reopening before their write. */
static void reopen_within_a_buffer(struct fake_sink *fake)
{
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 3);
    int64_t until = patience_until();
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    sink_thread_reopen(fake->sink);
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\n", 3);
}

/*
 * The file has reached its size limit, so writes to it fail. A reopening replaces it by a new file.
 */
TEST_WITH(a_destination_that_fails_is_reopened_and_the_record_goes_whole_to_the_new_one,
          fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 6}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    reopen_within_a_buffer(fake);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 4);
    assert_int_equal(fake->roll_backs, 1);
    assert_int_equal(fake->taken_back, 2);
}

TEST_WITH(nothing_is_taken_back_for_a_reopening_at_the_end_of_a_record, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 8}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    reopen_within_a_buffer(fake);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 8);
    assert_int_equal(fake->roll_backs, 0);
}

TEST_WITH(nothing_is_reopened_within_a_record_that_cannot_be_taken_back, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 6}, {WRITE_FAILED, 0}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->cannot_roll_back = true;
    reopen_within_a_buffer(fake);
    assert_true(fake->roll_backs >= 1);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 12);
}

TEST_WITH(where_reopening_fails_the_old_one_gets_the_record_whole, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 6}, {WRITE_FAILED, 0}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->reopen_fails = true;
    reopen_within_a_buffer(fake);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 4);
}

TEST_WITH(no_byte_is_taken_back_without_a_name_to_reopen, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 6}, {WRITE_FAILED, 0}, {WRITE_FAILED, 0}};
    fake->stream.reopen = NULL;
    set_script(fake, script, COUNT(script));
    reopen_within_a_buffer(fake);
    assert_int_equal(fake->roll_backs, 0);
}

/* A reopening becomes due between two batches, after a failed write. */
TEST_WITH(a_reopening_that_has_begun_is_not_forgotten_when_the_write_before_it_fails,
          fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "@\n", 1);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 0);
}

/* --- the reader ends -------------------------------------------------------------------------- */

TEST_WITH(a_reader_that_goes_ends_the_sink, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 6}, {WRITE_CLOSED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake_sink_start(fake);
    /* The reader accepts the first record and half of the second. */
    fake_sink_push(fake, 0, "abc", 3);
    fake_sink_wait_committed(fake, 3);
    assert_true(sink_thread_has_ended(fake->sink));
    assert_true(atomic_load(&fake->notices) >= 1);
    assert_false(sink_thread_has_finished(fake->sink));

    fake_sink_push(fake, 0, "too late", 4);
    fake_sink_wait_committed(fake, 7);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 1);
    assert_int_equal(counter_read(&fake->counters->lines), 1);
    assert_int_equal(counter_read(&fake->counters->bytes), 6);
    assert_int_equal(failed(fake, FAILED_READER_GONE), 6);
    assert_int_equal(atomic_load(&fake->writes), 2); /* a sink that has ended writes no more */
    assert_int_equal(fake->roll_backs, 0);
}

TEST_WITH(a_reader_that_goes_is_noticed_without_traffic, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct wait_end *end = make_pipe(fake);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_wait_committed(fake, 1);
    fake_sink_wait_idle(fake);
    assert_int_equal(atomic_load(&fake->notices), 0);
    wait_end_is_left(end);
    int64_t until = patience_until();
    while (atomic_load(&fake->notices) == 0)
        assert_true(patience(until));
    assert_true(sink_thread_has_ended(fake->sink));

    fake_sink_push(fake, 1, "y", 2);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "x\n", 1);
    assert_int_equal(failed(fake, FAILED_READER_GONE), 2);
    wait_end_close(end);
}

TEST_WITH(an_ended_sink_is_not_reopened, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_CLOSED, 0}};
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_wait_committed(fake, 1);
    sink_thread_reopen(fake->sink);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_finish(fake);
    assert_int_equal(fake->reopens, 0);
    assert_int_equal(failed(fake, FAILED_READER_GONE), 2);
}

/* --- the deadline of a stop ------------------------------------------------------------------- */

/*
 * Starts the sink on a destination that accepts two and a half lines of "abcd\n". Three more lines
 * wait in the sink.
 */
static struct wait_end *stall_within_a_line(struct fake_sink *fake)
{
    static const struct fake_write script[] = {{WRITE_OK, 12}, {WRITE_WOULD_BLOCK, 0}};
    struct wait_end *end = make_pipe(fake);
    wait_end_fill(end);
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abcd", 5);
    atomic_store(&fake->gate_shut, false);
    fake_sink_wait_writes(fake, 2);
    return end;
}

TEST_WITH(what_the_deadline_leaves_unwritten_is_counted_and_the_half_line_taken_back,
          fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct wait_end *end = stall_within_a_line(fake);
    fake_sink_push(fake, 1, "never", 7);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + 1000000);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abcd\nabcd\n", 2);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 10);
    assert_int_equal(fake->roll_backs, 1);
    assert_int_equal(fake->taken_back, 2);
    assert_int_equal(counter_read(&fake->counters->bytes), 10);
    wait_end_close(end);
}

TEST_WITH(a_line_that_cannot_be_taken_back_stays_cut, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->cannot_roll_back = true;
    struct wait_end *end = stall_within_a_line(fake);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abcd\nabcd\nab", 2);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 3);
    assert_int_equal(fake->roll_backs, 1);
    wait_end_close(end);
}

TEST_WITH(a_destination_without_take_back_is_asked_for_none, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->stream.roll_back = NULL;
    struct wait_end *end = stall_within_a_line(fake);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abcd\nabcd\nab", 2);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 3);
    wait_end_close(end);
}

static size_t withdrawn;

/*
 * Cancels the last write, of "cd\nabcd\nabcd\n", which blocked. Returns how many of these bytes
 * were written after all.
 */
static size_t cancel(struct destination *destination)
{
    (void)destination;
    return withdrawn;
}

/* A system may write some of the bytes although the write would block. */
TEST_WITH(what_was_accepted_of_a_write_that_is_given_up_is_written, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->stream.cancel = cancel;
    fake->stream.roll_back = NULL;
    withdrawn = 4;
    struct wait_end *end = stall_within_a_line(fake);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
    assert_int_equal(counter_read(&fake->counters->bytes), 12 + 4);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 2);
    wait_end_close(end);
}

TEST_WITH(a_head_that_was_accepted_when_it_was_given_up_is_no_record, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_WOULD_BLOCK, 0}};
    fake->stream.cancel = cancel;
    fake->stream.roll_back = NULL;
    fake->head = "=head=\n";
    withdrawn = 7;
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    struct wait_end *end = make_pipe(fake);
    wait_end_fill(end);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abcd", 2);
    fake_sink_wait_writes(fake, 1);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 0);
    assert_int_equal(counter_read(&fake->counters->bytes), 7);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 2);
    wait_end_close(end);
}

TEST_WITH(nothing_is_taken_back_at_the_end_of_a_record, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 10}, {WRITE_WOULD_BLOCK, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abcd", 5);
    atomic_store(&fake->gate_shut, false);
    fake_sink_wait_writes(fake, 2);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abcd\nabcd\n", 2);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 3);
    assert_int_equal(fake->roll_backs, 0);
}

TEST_WITH(a_stop_with_time_enough_loses_nothing, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->random_pieces = 5;
    fake_sink_start(fake);
    for (int i = 0; i < 200; i++)
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, "abc", 20);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(60000000000));
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 4000);
    assert_int_equal(fake->size, 16000);
}

/* The deadline applies between two batches too, even if each write succeeds. */
TEST_WITH(a_deadline_ends_a_sink_that_still_makes_progress, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    for (int i = 0; i < FAKE_CAPACITY; i++)
        fake_sink_push(fake, 0, "*999", 60);
    sink_thread_stop(fake->sink, 0);
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(fake->size % 1000, 0);
    assert_in_range(fake->size, 0, 300 * 1000);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT),
                     (size_t)FAKE_CAPACITY * 60 - fake->size / 1000);
}

TEST_WITH(a_second_stop_brings_the_deadline_forward_never_back, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct wait_end *end = stall_within_a_line(fake);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(3600000000000));
    assert_int_equal(fake_sink_committed(fake), 2);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + 1000000);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(3600000000000));
    fake_sink_finish(fake);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 3);
    wait_end_close(end);
}

/* --- the reported condition of a sink --------------------------------------------------------- */

static struct sink_condition wait_for_condition(const struct fake_sink *fake, bool waits,
                                                bool fails)
{
    int64_t until = patience_until();
    struct sink_condition now;
    do {
        assert_true(patience(until));
        now = sink_thread_condition(fake->sink);
    } while ((now.waits_since_ns != 0) != waits || (now.fails_since_ns != 0) != fails);
    return now;
}

/*
 * The reported time begins at the last byte that the destination accepted, even if the sink has
 * tried again since then.
 */
TEST_WITH(a_sink_reports_since_when_its_destination_takes_nothing, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    int64_t began = clock_monotonic_ns();
    struct wait_end *end = stall_within_a_line(fake);
    struct sink_condition stalled = wait_for_condition(fake, true, false);
    assert_false(stalled.ended);
    assert_true(stalled.waits_since_ns >= began);
    assert_true(stalled.waits_since_ns <= clock_monotonic_ns());
    struct histogram_totals times = {0};
    histogram_add_to(&fake->counters->write_time, &times);
    assert_int_equal(times.sum, 0);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    wait_end_close(end);
}

TEST_WITH(what_goes_out_in_the_end_is_measured_once_and_waits_no_longer, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_WOULD_BLOCK, 0}, {WRITE_OK, 2}};
    struct wait_end *end = make_pipe(fake);
    wait_end_fill(end);
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 1);
    fake_sink_wait_writes(fake, 1);
    wait_for_condition(fake, true, false);
    wait_end_is_read(end);
    fake_sink_wait_committed(fake, 1);
    wait_for_condition(fake, false, false);
    fake_sink_finish(fake);
    struct histogram_totals times = {0};
    uint64_t blocks = 0;
    histogram_add_to(&fake->counters->write_time, &times);
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        blocks += times.ranges[i];
    assert_int_equal(blocks, 1);
    wait_end_close(end);
}

TEST_WITH(a_sink_reports_since_when_its_destination_fails, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 1);
    int64_t since = wait_for_condition(fake, true, true).fails_since_ns;
    fake_sink_wait_writes(fake, 3);
    assert_int_equal(sink_thread_condition(fake->sink).fails_since_ns, since);
    sink_thread_reopen(fake->sink);
    fake_sink_wait_committed(fake, 1);
    wait_for_condition(fake, false, false);
    fake_sink_finish(fake);
}
