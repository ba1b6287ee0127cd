/* Tests that each empty file begins with the encoder's head, once and whole. */
#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define COUNT(script) (sizeof(script) / sizeof(script)[0])
#define HEAD          "time,name\n"
#define HOUR          UINT64_C(3600000000000) /* nanoseconds */

static int set_up(void **state)
{
    int result = fake_sink_set_up(state);
    ((struct fake_sink *)*state)->head = HEAD;
    return result;
}

static void set_script(struct fake_sink *fake, const struct fake_write *script, size_t length)
{
    fake->script = script;
    fake->script_length = length;
}

static void assert_holds(const struct fake_sink *fake, const char *text)
{
    if (fake->size != strlen(text) || memcmp(fake->bytes, text, fake->size) != 0)
        fail_msg("wrote %.*s, not %s", (int)fake->size, fake->bytes, text);
    assert_int_equal(counter_read(&fake->counters->bytes), fake->size);
}

/* Starts a sink whose queue already has records, so that its first write has all of them. */
static void start_with(struct fake_sink *fake, const char *payload, size_t count)
{
    struct error error;
    fake_sink_create(fake);
    fake_sink_push(fake, 0, payload, count);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
}

static void reopen_before_the_first_write(struct fake_sink *fake)
{
    atomic_store(&fake->gate_shut, true);
    start_with(fake, "abc", 2);
    int64_t until = patience_until();
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    sink_thread_reopen(fake->sink);
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
}

/* --- files ------------------------------------------------------------------------------------ */

static void an_empty_file_gets_it_before_there_is_a_record(void **state)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_wait_writes(fake, 1);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD);
    assert_int_equal(counter_read(&fake->counters->lines), 0);
    assert_int_equal(counter_read(&fake->counters->written), 0);
}

static void a_sink_that_is_stopped_at_once_has_written_it(void **state)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD);
}

static void records_follow_it(void **state)
{
    struct fake_sink *fake = *state;
    start_with(fake, "abc", 2);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
    assert_int_equal(counter_read(&fake->counters->lines), 2);
    assert_int_equal(counter_read(&fake->counters->written), 2);
}

static void records_that_came_before_the_thread_began_are_collected_with_it(void **state)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = HOUR;
    start_with(fake, "abc", 2);
    fake_sink_wait_asleep(fake);
    assert_int_equal(atomic_load(&fake->writes), 0);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
}

static void a_file_that_holds_something_gets_no_second_one(void **state)
{
    struct fake_sink *fake = *state;
    fake->holds_already = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 1);
    fake_sink_finish(fake);
    assert_holds(fake, "abc\n");
}

static void a_destination_without_a_beginning_gets_none(void **state)
{
    struct fake_sink *fake = *state;
    fake->stream.at_beginning = NULL;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 1);
    fake_sink_finish(fake);
    assert_holds(fake, "abc\n");
}

static void a_file_that_is_opened_anew_gets_its_own(void **state)
{
    struct fake_sink *fake = *state;
    fake_sink_create(fake);
    struct error error;
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_push(fake, 0, "new", 1);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "@\n" HEAD "new\n");
}

static void a_file_that_is_opened_anew_and_holds_something_gets_none(void **state)
{
    struct fake_sink *fake = *state;
    fake->reopen_holds = true;
    fake_sink_create(fake);
    struct error error;
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_push(fake, 0, "new", 1);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "@\nnew\n");
}

static void a_reopening_that_fails_writes_no_second_one(void **state)
{
    struct fake_sink *fake = *state;
    fake->reopen_fails = true;
    fake_sink_create(fake);
    struct error error;
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_push(fake, 0, "new", 1);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "@\nnew\n");
}

/* --- writes that fail or are partial ---------------------------------------------------------- */

static void a_destination_that_takes_pieces_gets_it_whole(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {
        {WRITE_OK, 1}, {WRITE_FAILED, 0}, {WRITE_OK, 4}, {WRITE_OK, 0}, {WRITE_OK, 2}};
    set_script(fake, script, COUNT(script));
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "abc", 2);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
}

static void a_part_of_it_is_taken_back_from_a_file_that_is_reopened(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    reopen_before_the_first_write(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
    assert_int_equal(fake->taken_back, 3);
    assert_int_equal(fake->reopened_at, 0);
}

static struct fake_sink *to_be_emptied;

/*
 * Empties the file when it has bytes. This acts as another program that empties the file while
 * writes to it fail.
 */
static bool empty_once(struct destination *destination)
{
    (void)destination;
    bool now = to_be_emptied->size != 0;
    to_be_emptied->size = 0;
    return now;
}

static bool is_gone_already(struct destination *destination, size_t size)
{
    (void)destination;
    to_be_emptied->taken_back = size;
    return true;
}

static void a_part_of_it_that_somebody_has_removed_is_written_again(void **state)
{
    struct fake_sink *fake = to_be_emptied = *state;
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->stream.was_moved = empty_once;
    fake->stream.roll_back = is_gone_already;
    start_with(fake, "abc", 2);
    fake_sink_finish(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
    assert_int_equal(fake->taken_back, 3);
}

static void the_new_file_of_a_record_that_was_taken_back_begins_with_it(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 0}, {WRITE_OK, 6}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake->reopen_mends = true;
    reopen_before_the_first_write(fake);
    assert_holds(fake, HEAD "abc\n" HEAD "abc\n");
    assert_int_equal(fake->taken_back, 2);
    assert_int_equal(counter_read(&fake->counters->written), 2);
}

static void nothing_is_reopened_after_a_part_of_it_that_cannot_be_taken_back(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_FAILED, 0}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->cannot_roll_back = true;
    fake->reopen_holds = true;
    reopen_before_the_first_write(fake);
    assert_holds(fake, HEAD "abc\nabc\n");
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, fake->size);
}

static void a_part_of_it_does_not_stay_where_the_deadline_is_over(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_FAILED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake_sink_start(fake);
    fake_sink_wait_writes(fake, 2);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_finish(fake);
    assert_holds(fake, "");
    assert_int_equal(fake->taken_back, 3);
}

static void a_reader_that_goes_before_its_end_ends_the_sink(void **state)
{
    struct fake_sink *fake = *state;
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_CLOSED, 0}};
    set_script(fake, script, COUNT(script));
    fake->repeat_last = true;
    fake_sink_start(fake);
    int64_t until = patience_until();
    while (!sink_thread_has_ended(fake->sink))
        assert_true(patience(until));
    fake_sink_push(fake, 0, "abc", 2);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_READER_GONE]), 2);
    assert_int_equal(atomic_load(&fake->writes), 2);
}

int main(void)
{
#define with_head(test) cmocka_unit_test_setup_teardown(test, set_up, fake_sink_tear_down)
    const struct CMUnitTest tests[] = {
        with_head(an_empty_file_gets_it_before_there_is_a_record),
        with_head(a_sink_that_is_stopped_at_once_has_written_it),
        with_head(records_follow_it),
        with_head(records_that_came_before_the_thread_began_are_collected_with_it),
        with_head(a_file_that_holds_something_gets_no_second_one),
        with_head(a_destination_without_a_beginning_gets_none),
        with_head(a_file_that_is_opened_anew_gets_its_own),
        with_head(a_file_that_is_opened_anew_and_holds_something_gets_none),
        with_head(a_reopening_that_fails_writes_no_second_one),
        with_head(a_destination_that_takes_pieces_gets_it_whole),
        with_head(a_part_of_it_is_taken_back_from_a_file_that_is_reopened),
        with_head(a_part_of_it_that_somebody_has_removed_is_written_again),
        with_head(the_new_file_of_a_record_that_was_taken_back_begins_with_it),
        with_head(nothing_is_reopened_after_a_part_of_it_that_cannot_be_taken_back),
        with_head(a_part_of_it_does_not_stay_where_the_deadline_is_over),
        with_head(a_reader_that_goes_before_its_end_ends_the_sink),
    };
    return cmocka_run_group_tests_name("sink_thread, head", tests, NULL, NULL);
}
