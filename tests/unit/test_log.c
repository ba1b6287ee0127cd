/* Lines for the operator: whole, harmless to a terminal, and limited in rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/log.h"
#include "collector/thread.h"

/* --- standard error, taken aside -------------------------------------------------------------- */

static int aside = -1;
static FILE *taken;

static void begin_taking(void)
{
    taken = tmpfile();
    assert_non_null(taken);
    aside = dup(STDERR_FILENO);
    assert_int_equal(dup2(fileno(taken), STDERR_FILENO), STDERR_FILENO);
}

/* What was written since; to be freed. */
static char *end_taking(void)
{
    assert_int_equal(dup2(aside, STDERR_FILENO), STDERR_FILENO);
    close(aside);
    assert_int_equal(fseek(taken, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(taken);
    rewind(taken);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, taken), size);
    fclose(taken);
    return text;
}

#define assert_logs(expected, ...)                                                                 \
    do {                                                                                           \
        begin_taking();                                                                            \
        log_line(__VA_ARGS__);                                                                     \
        char *text = end_taking();                                                                 \
        assert_string_equal(text, (expected));                                                     \
        free(text);                                                                                \
    } while (0)

/* --- lines ------------------------------------------------------------------------------------ */

static void a_line_says_who_speaks_and_how_bad_it_is(void **state)
{
    (void)state;
    assert_logs("sluice: error: no 5 left\n", LOG_ERROR, "no %d left", 5);
    assert_logs("sluice: warning: careful\n", LOG_WARNING, "careful");
    assert_logs("sluice: hello\n", LOG_INFO, "%s", "hello");
    assert_logs("sluice: \n", LOG_INFO, "%s", "");
}

static void control_characters_become_question_marks(void **state)
{
    (void)state;
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

/* U+0080 to U+009F are control characters too: some terminals take U+009B for an escape. */
static void control_characters_of_two_bytes_are_no_exception(void **state)
{
    (void)state;
    assert_logs("sluice: a??31mb\n", LOG_INFO, "%s",
                "a\xc2\x9b"
                "31mb");
    assert_logs("sluice: ????\n", LOG_INFO, "%s", "\xc2\x80\xc2\x9f");
    assert_logs("sluice: \xc2\xa0\xc3\x9b\n", LOG_INFO, "%s", "\xc2\xa0\xc3\x9b");
}

static void a_line_too_long_is_cut_and_stays_one_line(void **state)
{
    (void)state;
    for (size_t size = 900; size < 2100; size += 1 + size % 7) {
        char *longest = malloc(size + 1);
        memset(longest, 'x', size);
        longest[size] = '\0';
        begin_taking();
        log_line(LOG_ERROR, "%s", longest);
        char *text = end_taking();
        assert_memory_equal(text, "sluice: error: xxx", 18);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
        assert_true(strlen(text) <= 1024);
        assert_true(strlen(text) >= 1000 || strlen(text) == size + 16);
        free(text);
        free(longest);
    }
}

/* A pipe of its smallest size, already full, as standard error. */
static void begin_full_pipe(int ends[2])
{
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], "x", 1) == 1) {
    }
    assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
    aside = dup(STDERR_FILENO);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
}

static void a_line_that_nobody_reads_is_lost_and_told_of_later(void **state)
{
    (void)state;
    int ends[2];
    begin_full_pipe(ends);
    log_line(LOG_INFO, "one"); /* a write that waits would hang here */
    log_line(LOG_WARNING, "two");
    char text[256] = "";
    while (read(ends[0], text, 1) == 1 && poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, 0) == 1) {
    }
    log_line(LOG_INFO, "three");
    log_line(LOG_INFO, "four");
    dup2(aside, STDERR_FILENO);
    close(aside);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    assert_true(size > 0);
    text[size] = '\0';
    assert_string_equal(text, "sluice: 2 lines were lost\nsluice: three\nsluice: four\n");
    close(ends[0]);
}

#define WRITERS 4
#define LINES   300

static void write_lines(void *argument)
{
    const char *mark = argument;
    for (int i = 0; i < LINES; i++)
        log_line(LOG_INFO, "%c%c%c%c%c%c%c%c.", *mark, *mark, *mark, *mark, *mark, *mark, *mark,
                 *mark);
}

static void lines_of_many_threads_do_not_mix(void **state)
{
    (void)state;
    struct thread *threads[WRITERS];
    struct error error;
    static char marks[] = "abcd";
    begin_taking();
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(thread_start(&threads[i], "writer", write_lines, &marks[i], &error), 0);
    for (int i = 0; i < WRITERS; i++)
        thread_join(threads[i]);
    char *text = end_taking();
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

/* --- rate ------------------------------------------------------------------------------------- */

static void the_first_line_is_allowed_and_the_next_are_held_and_counted(void **state)
{
    (void)state;
    struct log_limit limit = {0};
    uint64_t held = 99;
    int64_t begun = clock_monotonic_ns();
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 0);
    assert_true(limit.next_ns >= begun + INT64_C(1000000000)); /* a second from one place */
    limit.next_ns = INT64_MAX;                                 /* a slow machine gets no other */
    for (int i = 0; i < 1000; i++)
        assert_false(log_allowed(&limit, &held));
    assert_int_equal(limit.held, 1000);
}

static void after_its_time_a_line_tells_how_many_were_held(void **state)
{
    (void)state;
    struct log_limit limit = {0};
    uint64_t held = 0;
    assert_true(log_allowed(&limit, &held));
    limit.next_ns = INT64_MAX;
    for (int i = 0; i < 7; i++)
        assert_false(log_allowed(&limit, &held));
    limit.next_ns = clock_monotonic_ns(); /* the second is over */
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 7);
    limit.next_ns = 0;
    assert_true(log_allowed(&limit, &held));
    assert_int_equal(held, 0);
}

static void one_place_does_not_hold_another(void **state)
{
    (void)state;
    struct log_limit here = {0};
    struct log_limit there = {0};
    uint64_t held;
    assert_true(log_allowed(&here, &held));
    assert_true(log_allowed(&there, &held));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_who_speaks_and_how_bad_it_is),
        cmocka_unit_test(control_characters_become_question_marks),
        cmocka_unit_test(control_characters_of_two_bytes_are_no_exception),
        cmocka_unit_test(a_line_too_long_is_cut_and_stays_one_line),
        cmocka_unit_test(a_line_that_nobody_reads_is_lost_and_told_of_later),
        cmocka_unit_test(lines_of_many_threads_do_not_mix),
        cmocka_unit_test(the_first_line_is_allowed_and_the_next_are_held_and_counted),
        cmocka_unit_test(after_its_time_a_line_tells_how_many_were_held),
        cmocka_unit_test(one_place_does_not_hold_another),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
