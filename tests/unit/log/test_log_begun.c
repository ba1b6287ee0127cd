/*
 * Tests the log after log_begin: levels, merged repetitions, and whole lines before or after a
 * ledger.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

#define REPEATS_NS INT64_C(7000000000)

static void begin(enum log_level level, enum log_format format)
{
    struct error error;
    const struct log_settings settings = {level, format, REPEATS_NS};
    assert_int_equal(log_begin(&settings, &error), 0);
}

static void begin_taking(enum log_level level, enum log_format format)
{
    standard_stream_take(STREAM_ERROR);
    begin(level, format);
}

static void end_and_expect(const char *expected)
{
    log_end();
    char *text = standard_stream_end_taking(STREAM_ERROR);
    assert_string_equal(text, expected);
    free(text);
}

/* --- levels ----------------------------------------------------------------------------------- */

static void log_at_all_levels(void)
{
    log_line(LOG_INFO, "one");
    log_about(LOG_WARNING, LOG_OF_SINK, "file:a", "two");
    log_naming(LOG_ERROR, LOG_OF_LISTENER, "udp://a", "three of udp://a");
}

TEST(what_is_less_than_the_level_is_left_out)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    log_at_all_levels();
    end_and_expect("sluice: one\nsluice: warning: file:a: two\nsluice: error: three of udp://a\n");
    begin_taking(LOG_WARNING, LOG_TEXT);
    log_at_all_levels();
    end_and_expect("sluice: warning: file:a: two\nsluice: error: three of udp://a\n");
    begin_taking(LOG_ERROR, LOG_TEXT);
    log_at_all_levels();
    end_and_expect("sluice: error: three of udp://a\n");
}

TEST(a_ledger_has_no_level)
{
    begin_taking(LOG_ERROR, LOG_JSON);
    assert_true(log_text(LOG_INFO, "ledger\n", 7, 0));
    end_and_expect("ledger\n");
}

TEST(when_it_has_ended_everything_is_text_again)
{
    standard_stream_take(STREAM_ERROR);
    begin(LOG_ERROR, LOG_JSON);
    log_end();
    log_line(LOG_INFO, "one");
    log_line(LOG_INFO, "one");
    end_and_expect("sluice: one\nsluice: one\n");
}

/* --- settings that a reload changes ----------------------------------------------------------- */

TEST(other_settings_hold_for_the_next_line_and_the_repetitions_before_are_reported)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    log_line(LOG_ERROR, "full");
    log_line(LOG_ERROR, "full");
    log_set(&(struct log_settings){.level = LOG_WARNING, .repeats_ns = REPEATS_NS});
    log_line(LOG_INFO, "left out");
    log_line(LOG_WARNING, "behind");
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 1 time\n"
                   "sluice: warning: behind\n");
}

TEST(repetitions_are_due_after_the_new_interval)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    log_set(&(struct log_settings){.level = LOG_INFO, .repeats_ns = REPEATS_NS / 10});
    log_line(LOG_ERROR, "full");
    int64_t before = clock_monotonic_ns();
    log_line(LOG_ERROR, "full");
    assert_true(log_due_ns() <= clock_monotonic_ns() + REPEATS_NS / 10);
    assert_true(log_due_ns() <= before + REPEATS_NS);
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 1 time\n");
}

/* --- repetitions ------------------------------------------------------------------------------ */

TEST(repetitions_are_reported_when_something_else_comes_and_at_the_end)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    for (int i = 0; i < 4; i++)
        log_line(LOG_ERROR, "full");
    log_line(LOG_INFO, "reopened");
    log_line(LOG_INFO, "reopened");
    for (int i = 0; i < 2; i++)
        log_about(LOG_WARNING, LOG_OF_SINK, "file:a", "behind");
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 3 times\n"
                   "sluice: reopened\nsluice: reopened\nsluice: warning: file:a: behind\n"
                   "sluice: warning: last message repeated 1 time\n");
}

TEST(a_ledger_comes_after_them)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    log_line(LOG_ERROR, "full");
    log_line(LOG_ERROR, "full");
    assert_true(log_text(LOG_INFO, "ledger\n", 7, 0));
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 1 time\nledger\n");
}

static int woken;

static void wake(void *context)
{
    assert_ptr_equal(context, &woken);
    woken++;
}

TEST(who_waits_is_woken_by_the_first_of_them)
{
    begin_taking(LOG_INFO, LOG_TEXT);
    log_watch(wake, &woken);
    woken = 0;
    log_line(LOG_ERROR, "full");
    assert_int_equal(woken, 0);
    assert_int_equal(log_due_ns(), INT64_MAX);
    int64_t before = clock_monotonic_ns();
    log_line(LOG_ERROR, "full");
    log_line(LOG_ERROR, "full");
    assert_int_equal(woken, 1);
    int64_t due = log_due_ns();
    assert_true(due >= before + REPEATS_NS);
    assert_true(due <= clock_monotonic_ns() + REPEATS_NS);
    log_write_repeats_now();
    assert_int_equal(log_due_ns(), INT64_MAX);
    log_watch(NULL, NULL);
    log_line(LOG_ERROR, "full");
    assert_int_equal(woken, 1);
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 2 times\n"
                   "sluice: error: last message repeated 1 time\n");
}

/* --- a stream that no process reads ----------------------------------------------------------- */

static struct {
    bool refuses;
    char text[4096];
} taken;

static bool take(enum log_level level, const char *lines, size_t size)
{
    (void)level;
    if (taken.refuses)
        return false;
    size_t used = strlen(taken.text);
    assert_true(used + size < sizeof taken.text);
    memcpy(taken.text + used, lines, size);
    taken.text[used + size] = '\0';
    return true;
}

static void begin_diverted(enum log_format format)
{
    memset(&taken, 0, sizeof taken);
    log_divert(take);
    begin(LOG_INFO, format);
}

static void end_diverted(void)
{
    log_end();
    log_divert(NULL);
}

TEST(repetitions_that_cannot_be_reported_are_lost_messages)
{
    begin_diverted(LOG_TEXT);
    for (int i = 0; i < 4; i++)
        log_line(LOG_ERROR, "full");
    taken.refuses = true;
    log_line(LOG_INFO, "one");
    taken.refuses = false;
    log_line(LOG_INFO, "two");
    end_diverted();
    assert_string_equal(taken.text, "full\n4 lines were lost\ntwo\n");
}

TEST(but_stay_where_nothing_else_comes)
{
    begin_diverted(LOG_TEXT);
    log_line(LOG_ERROR, "full");
    log_line(LOG_ERROR, "full");
    taken.refuses = true;
    log_write_repeats_now();
    taken.refuses = false;
    log_line(LOG_ERROR, "full");
    end_diverted();
    assert_string_equal(taken.text, "full\nlast message repeated 2 times\n");
}

TEST(what_was_lost_is_not_repeated)
{
    begin_diverted(LOG_TEXT);
    taken.refuses = true;
    log_line(LOG_ERROR, "full");
    log_line(LOG_ERROR, "full");
    taken.refuses = false;
    log_line(LOG_ERROR, "full");
    end_diverted();
    assert_string_equal(taken.text, "2 lines were lost\nfull\n");
}

TEST(in_json_losses_are_an_object_too)
{
    begin_diverted(LOG_JSON);
    taken.refuses = true;
    log_line(LOG_ERROR, "full");
    taken.refuses = false;
    log_line(LOG_ERROR, "full");
    end_diverted();
    assert_memory_equal(taken.text, "{\"time\":\"", 9);
    assert_non_null(
        strstr(taken.text, "Z\",\"level\":\"info\",\"message\":\"1 line was lost\"}\n{\"time\""));
    assert_non_null(strstr(taken.text, "Z\",\"level\":\"error\",\"message\":\"full\"}\n"));
}

/* --- a line while a long text is written ------------------------------------------------------ */

#define TEXT_SIZE 300000 /* more than a pipe and its writer's buffer can hold */

static char long_text[TEXT_SIZE];
static char heard[2 * TEXT_SIZE];

static struct test_pipe begin_long_text(void)
{
    struct test_pipe pipe = test_pipe_open();
    memset(long_text, '.', TEXT_SIZE - 1);
    long_text[TEXT_SIZE - 1] = '\n';
    standard_stream_lead(STREAM_ERROR, pipe.writer);
    begin(LOG_INFO, LOG_TEXT);
    return pipe;
}

static void end_long_text(struct test_pipe *pipe)
{
    log_end();
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(pipe);
}

static size_t hear_until(const struct test_pipe *pipe, size_t size, const char *last)
{
    size_t length = strlen(last);
    while (size < length || memcmp(heard + size - length, last, length) != 0) {
        assert_true(size < sizeof heard);
        size_t got = test_stream_read(pipe->reader, heard + size, sizeof heard - size);
        assert_true(got > 0);
        size += got;
    }
    return size;
}

static void write_text(void *argument)
{
    *(bool *)argument = log_text(LOG_INFO, long_text, TEXT_SIZE, 20000);
}

TEST(lines_wait_for_the_end_of_a_long_text_and_their_threads_do_not)
{
    struct thread *thread;
    struct error error;
    bool written = false;
    struct test_pipe pipe = begin_long_text();
    assert_int_equal(thread_start(&thread, "text", write_text, &written, &error), 0);
    /* Waits until the writing of the long text has begun. */
    size_t size = test_stream_read(pipe.reader, heard, 1);
    log_line(LOG_INFO, "one");
    log_line(LOG_ERROR, "two");
    log_line(LOG_ERROR, "two");
    log_line(LOG_INFO, "three");
    size = hear_until(&pipe, size, "three\n");
    thread_join(thread);
    end_long_text(&pipe);
    assert_true(written);
    assert_memory_equal(heard, long_text, TEXT_SIZE);
    heard[size] = '\0';
    assert_string_equal(heard + TEXT_SIZE, "sluice: one\nsluice: error: two\nsluice: error: last "
                                           "message repeated 1 time\nsluice: three\n");
}

TEST(what_does_not_fit_there_is_lost_and_reported)
{
    struct thread *thread;
    struct error error;
    bool written = false;
    struct test_pipe pipe = begin_long_text();
    assert_int_equal(thread_start(&thread, "text", write_text, &written, &error), 0);
    size_t size = test_stream_read(pipe.reader, heard, 1);
    for (int i = 0; i < 100; i++)
        log_line(LOG_INFO, "%091d", i); /* each line has 100 bytes */
    size = hear_until(&pipe, size, "039\n");
    thread_join(thread);
    log_line(LOG_INFO, "last");
    size = hear_until(&pipe, size, "last\n");
    end_long_text(&pipe);
    heard[size] = '\0';
    assert_string_equal(heard + TEXT_SIZE + 4000, "sluice: 60 lines were lost\nsluice: last\n");
}

static void hear_next(void *argument)
{
    hear_until(argument, 0, "next\n");
}

TEST(a_text_that_was_given_up_is_not_continued_by_a_line)
{
    struct thread *thread;
    struct error error;
    struct test_pipe pipe = begin_long_text();
    assert_false(log_text(LOG_INFO, long_text, TEXT_SIZE, 50));
    memset(heard, 0, sizeof heard);
    assert_int_equal(thread_start(&thread, "reader", hear_next, &pipe, &error), 0);
    assert_true(log_text(LOG_INFO, "next\n", 5, 20000));
    thread_join(thread);
    end_long_text(&pipe);
    const char *end = strchr(heard, '\n');
    assert_non_null(end);
    assert_string_equal(end, "\nnext\n");
    assert_memory_equal(heard, long_text, (size_t)(end - heard));
}

/* --- many threads ----------------------------------------------------------------------------- */

#define WRITERS 4
#define LINES   300

static void write_lines(void *argument)
{
    (void)argument;
    for (int i = 0; i < LINES; i++)
        log_line(LOG_ERROR, "full");
}

TEST(no_repetition_is_lost_among_threads)
{
    struct thread *threads[WRITERS];
    struct error error;
    begin_taking(LOG_INFO, LOG_TEXT);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(thread_start(&threads[i], "writer", write_lines, NULL, &error), 0);
    for (int i = 0; i < WRITERS; i++)
        thread_join(threads[i]);
    end_and_expect("sluice: error: full\nsluice: error: last message repeated 1199 times\n");
}
