#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/process.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

#define assert_logs(expected, ...)                                                                 \
    do {                                                                                           \
        standard_stream_take(STREAM_ERROR);                                                        \
        log_line(__VA_ARGS__);                                                                     \
        char *text = standard_stream_end_taking(STREAM_ERROR);                                     \
        assert_string_equal(text, (expected));                                                     \
        free(text);                                                                                \
    } while (0)

/* --- single lines ----------------------------------------------------------------------------- */

TEST(a_line_says_who_speaks_and_how_bad_it_is)
{
    assert_logs("sluice: error: no 5 left\n", LOG_ERROR, "no %d left", 5);
    assert_logs("sluice: warning: careful\n", LOG_WARNING, "careful");
    assert_logs("sluice: hello\n", LOG_INFO, "%s", "hello");
    assert_logs("sluice: \n", LOG_INFO, "%s", "");
}

TEST(control_characters_become_question_marks)
{
    assert_logs("sluice: a?b?c?[31md?e?f\n", LOG_INFO, "%s",
                "a\nb\rc\x1b[31md\x7f"
                "e\tf");
    assert_logs("sluice: caf\xc3\xa9\n", LOG_INFO, "%s", "caf\xc3\xa9");
    char all[32];
    for (int i = 0; i < 31; i++)
        all[i] = (char)(i + 1);
    all[31] = '\0';
    assert_logs("sluice: ???????????????????????????????\n", LOG_INFO, "%s", all);
}

/* U+0080 to U+009F are control characters too. Some terminals read U+009B as ESC [. */
TEST(control_characters_of_two_bytes_are_no_exception)
{
    assert_logs("sluice: a??31mb\n", LOG_INFO, "%s",
                "a\xc2\x9b"
                "31mb");
    assert_logs("sluice: ????\n", LOG_INFO, "%s", "\xc2\x80\xc2\x9f");
    assert_logs("sluice: \xc2\xa0\xc3\x9b\n", LOG_INFO, "%s", "\xc2\xa0\xc3\x9b");
}

TEST(a_line_too_long_is_cut_and_stays_one_line)
{
    for (size_t size = 900; size < 2100; size += 1 + size % 7) {
        char *longest = malloc(size + 1);
        memset(longest, 'x', size);
        longest[size] = '\0';
        standard_stream_take(STREAM_ERROR);
        log_line(LOG_ERROR, "%s", longest);
        char *text = standard_stream_end_taking(STREAM_ERROR);
        assert_memory_equal(text, "sluice: error: xxx", 18);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
        assert_true(strlen(text) <= 1024);
        assert_true(strlen(text) >= 1000 || strlen(text) == size + 16);
        free(text);
        free(longest);
    }
}

/* --- a stream that no process reads ----------------------------------------------------------- */

/* Makes a pipe standard error and fills it. Stores the number of bytes in the pipe in `filled`. */
static struct test_pipe lead_to_full_pipe(size_t *filled)
{
    struct test_pipe pipe = test_pipe_open();
    *filled = test_pipe_fill(&pipe);
    standard_stream_lead(STREAM_ERROR, pipe.writer);
    return pipe;
}

static void read_all(const struct test_pipe *pipe, char *text, size_t size)
{
    for (size_t got = 0; size != 0; size -= got) {
        got = test_stream_read(pipe->reader, text, size);
        assert_true(got > 0);
        text += got;
    }
    *text = '\0';
}

static char heard[1024 * 1024];

static void hear(void *argument)
{
    const struct test_pipe *pipe = argument;
    for (size_t size = 0; strstr(heard, "sluice: four\n") == NULL;) {
        size_t got = test_stream_read(pipe->reader, heard + size, sizeof heard - 1 - size);
        if (got == 0)
            return;
        size += got;
    }
}

#define MANY      200
#define MANY_SIZE 813 /* bytes of each of many lines */

/*
 * The pipe accepts at most a few of these lines before the reader continues. All others are lost.
 */
TEST(lines_that_nobody_reads_are_lost_and_reported_later)
{
    size_t filled;
    struct thread *reader;
    struct error error;
    struct test_pipe pipe = lead_to_full_pipe(&filled);
    for (int i = 0; i < MANY; i++)
        log_line(LOG_INFO, "%03d %0800d", i, 0); /* a write that blocks would hang here */
    assert_int_equal(thread_start(&reader, "reader", hear, &pipe, &error), 0);
    assert_true(log_stream_write("again\n", 6, 20000));
    log_line(LOG_INFO, "three");
    log_line(LOG_INFO, "four");
    thread_join(reader);
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(&pipe);
    const char *at = heard + filled;
    int late = 0;
    for (; strncmp(at, "again\n", 6) != 0; at += MANY_SIZE)
        assert_int_equal(strtol(at + 8, NULL, 10), late++);
    char expected[128];
    snprintf(expected, sizeof expected,
             "again\nsluice: %d lines were lost\nsluice: three\nsluice: four\n", MANY - late);
    assert_string_equal(at, expected);
}

TEST(what_is_read_in_time_is_written)
{
    size_t filled;
    static char text[1024 * 1024];
    struct test_pipe pipe = lead_to_full_pipe(&filled);
    assert_true(filled < sizeof text);
    read_all(&pipe, text, filled);
    assert_true(log_stream_write("line\n", 5, 20000));
    read_all(&pipe, text, 5);
    assert_string_equal(text, "line\n");
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(&pipe);
}

/* A text that is larger than the pipe's buffer, as a ledger may be. */
TEST(more_than_a_pipe_takes_is_not_written_where_nobody_reads)
{
    size_t filled;
    char *text = calloc(1, 300000);
    assert_non_null(text);
    memset(text, '.', 299998);
    text[299998] = '\n';
    struct test_pipe pipe = lead_to_full_pipe(&filled);
    int64_t began = clock_monotonic_ns();
    assert_false(log_stream_write(text, 299999, 50));
    int64_t took = clock_monotonic_ns() - began;
    assert_in_range(took, 50 * 1000000 - 20000000, INT64_C(10000000000));
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(&pipe);
    free(text);
}

TEST(where_there_is_no_stream_nothing_is_written)
{
    standard_stream_lead(STREAM_ERROR, NO_STREAM);
    bool written = log_stream_write("line\n", 5, 0);
    standard_stream_lead_back(STREAM_ERROR);
    assert_false(written);
}

TEST(a_reader_that_has_gone_is_noticed)
{
    struct test_pipe pipe = test_pipe_open();
    standard_stream_lead(STREAM_ERROR, pipe.writer);
    assert_true(log_stream_write("line\n", 5, 1000));
    test_stream_close(&pipe.reader);
    bool written = log_stream_write("line\n", 5, 20000);
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(&pipe);
    assert_false(written);
}

/* --- many threads ----------------------------------------------------------------------------- */

#define WRITERS 4
#define LINES   300

static void write_lines(void *argument)
{
    const char *mark = argument;
    for (int i = 0; i < LINES; i++)
        log_line(LOG_INFO, "%c%c%c%c%c%c%c%c.", *mark, *mark, *mark, *mark, *mark, *mark, *mark,
                 *mark);
}

TEST(lines_of_many_threads_do_not_mix)
{
    struct thread *threads[WRITERS];
    struct error error;
    static char marks[] = "abcd";
    standard_stream_take(STREAM_ERROR);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(thread_start(&threads[i], "writer", write_lines, &marks[i], &error), 0);
    for (int i = 0; i < WRITERS; i++)
        thread_join(threads[i]);
    char *text = standard_stream_end_taking(STREAM_ERROR);
    size_t lines[WRITERS] = {0};
    for (char *line = text; *line != '\0'; line += 18) {
        assert_memory_equal(line, "sluice: ", 8);
        assert_in_range(line[8], 'a', 'd');
        for (int i = 8; i < 16; i++)
            assert_int_equal(line[i], line[8]);
        assert_memory_equal(line + 16, ".\n", 2);
        lines[line[8] - 'a']++;
    }
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(lines[i], LINES);
    free(text);
}

static _Atomic int unwritten;

static void write_to_pipe(void *argument)
{
    char line[19];
    memset(line, *(char *)argument, 17);
    line[17] = '\n';
    for (int i = 0; i < LINES; i++)
        if (!log_stream_write(line, 18, 20000))
            unwritten++;
}

TEST(nor_do_they_in_a_pipe)
{
    struct thread *threads[WRITERS];
    struct error error;
    static char marks[] = "abcd";
    static char text[WRITERS * LINES * 18 + 1];
    struct test_pipe pipe = test_pipe_open();
    standard_stream_lead(STREAM_ERROR, pipe.writer);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(thread_start(&threads[i], "writer", write_to_pipe, &marks[i], &error), 0);
    read_all(&pipe, text, sizeof text - 1);
    for (int i = 0; i < WRITERS; i++)
        thread_join(threads[i]);
    standard_stream_lead_back(STREAM_ERROR);
    test_pipe_close(&pipe);
    assert_int_equal(unwritten, 0);
    for (char *line = text; *line != '\0'; line += 18) {
        for (int i = 1; i < 17; i++)
            assert_int_equal(line[i], line[0]);
        assert_int_equal(line[17], '\n');
    }
}

/* --- the limit of the rate -------------------------------------------------------------------- */

TEST(the_first_line_is_allowed_and_the_next_are_held_and_counted)
{
    struct log_limit limit = {0};
    uint64_t held = 99;
    int64_t begun = clock_monotonic_ns();
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 0);
    /* The second call must be at least a second after the first one. */
    assert_true(limit.next_ns >= begun + INT64_C(1000000000));
    limit.next_ns = INT64_MAX; /* no second line is allowed, even on a slow machine */
    for (int i = 0; i < 1000; i++)
        assert_false(log_allowed(&limit, &held));
    assert_int_equal(limit.held, 1000);
}

TEST(after_its_time_a_line_reports_how_many_were_held)
{
    struct log_limit limit = {0};
    uint64_t held = 0;
    assert_true(log_allowed(&limit, &held));
    limit.next_ns = INT64_MAX;
    for (int i = 0; i < 7; i++)
        assert_false(log_allowed(&limit, &held));
    limit.next_ns = clock_monotonic_ns(); /* as if the second had passed */
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 7);
    limit.next_ns = 0;
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 0);
}

TEST(a_trouble_that_lasts_a_quarter_of_an_hour_has_ten_lines)
{
    struct log_limit limit = {0};
    uint64_t held;
    int64_t lasted_ns = 0;
    int lines = 0;
    for (; lasted_ns < 900 * INT64_C(1000000000); lasted_ns += limit.interval_ns) {
        assert_true(log_allowed(&limit, &held));
        lines++;
        limit.next_ns = 0; /* as if the interval had passed */
    }
    assert_int_equal(lines, 10);
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(limit.interval_ns, LOG_INTERVAL_LONGEST_NS);
}

TEST(after_a_quiet_minute_the_intervals_begin_again)
{
    struct log_limit limit = {0};
    uint64_t held;
    for (int i = 0; i < 5; i++) {
        limit.next_ns = 0;
        assert_true(log_allowed(&limit, &held));
    }
    assert_false(log_allowed(&limit, &held));
    limit.last_ns -= LOG_QUIET_NS;
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 1);
    assert_int_equal(limit.interval_ns, LOG_INTERVAL_FIRST_NS);
}

TEST(one_place_does_not_hold_another)
{
    struct log_limit here = {0};
    struct log_limit there = {0};
    uint64_t held;
    assert_true(log_allowed(&here, &held));
    assert_true(log_allowed(&there, &held));
}
