/* Running another program to its end: what it wrote, and the one line that says why it failed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/process.h"
#include "collector/thread.h"

#define MOST ((size_t)1 << 20) /* bytes of output */

/* Runs a line of shell. */
static enum process_result run_shell(const char *line, size_t most, struct process_output *out,
                                     struct error *error)
{
    const char *arguments[] = {"sh", "-c", line, NULL};
    *error = (struct error){0};
    return process_run(arguments, most, out, error);
}

static void assert_fails(const char *line, size_t most, const char *expected)
{
    struct process_output out;
    struct error error;
    assert_int_equal(run_shell(line, most, &out, &error), PROCESS_FAILED);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    free(out.data);
}

static void what_a_program_writes_is_read_to_its_end(void **state)
{
    (void)state;
    struct process_output out;
    struct error error;
    assert_int_equal(run_shell("printf 'a\\0b'; echo more >&2", MOST, &out, &error), PROCESS_DONE);
    assert_int_equal(out.size, 3);
    assert_memory_equal(out.data, "a\0b", 3);
    free(out.data);
    assert_int_equal(run_shell("true", MOST, &out, &error), PROCESS_DONE);
    assert_int_equal(out.size, 0);
    free(out.data);
}

/* Whoever started us may have: the system tells nobody then how a program has ended. */
static void one_that_was_told_to_ignore_ends_hears_of_them(void **state)
{
    signal(SIGCHLD, SIG_IGN);
    what_a_program_writes_is_read_to_its_end(state);
}

/* More than a pipe holds, on both at once. */
static void much_output_and_many_errors_do_not_wait_for_each_other(void **state)
{
    (void)state;
    struct process_output out;
    struct error error;
    assert_int_equal(run_shell("head -c 300000 /dev/zero >&2; head -c 400000 /dev/zero;"
                               "head -c 300000 /dev/zero >&2",
                               MOST, &out, &error),
                     PROCESS_DONE);
    assert_int_equal(out.size, 400000);
    free(out.data);
}

static void standard_input_is_empty(void **state)
{
    (void)state;
    struct process_output out;
    struct error error;
    assert_int_equal(run_shell("cat; echo end", MOST, &out, &error), PROCESS_DONE);
    assert_int_equal(out.size, 4);
    free(out.data);
}

static void arguments_arrive_as_they_are(void **state)
{
    (void)state;
    const char *arguments[] = {"printf", "%s|", "a b", "", "$HOME \"*\"", NULL};
    struct process_output out;
    struct error error;
    assert_int_equal(process_run(arguments, MOST, &out, &error), PROCESS_DONE);
    assert_int_equal(out.size, 15);
    assert_memory_equal(out.data, "a b||$HOME \"*\"|", 15);
    free(out.data);
}

static void a_program_that_is_not_there_is_told_apart(void **state)
{
    (void)state;
    const char *names[] = {"no-such-program-anywhere", "/no/such/program"};
    for (size_t i = 0; i < 2; i++) {
        const char *arguments[] = {names[i], NULL};
        struct process_output out;
        struct error error;
        assert_int_equal(process_run(arguments, MOST, &out, &error), PROCESS_NOT_FOUND);
        free(out.data);
    }
}

static void the_first_line_that_is_no_warning_says_why_it_failed(void **state)
{
    (void)state;
    assert_fails("exit 3", MOST, "ended with exit code 3");
    assert_fails("kill -9 $$", MOST, "ended by signal 9");
    assert_fails("echo; echo first >&2; echo second >&2; exit 1", MOST, "first");
    assert_fails("echo 'x: warning: odd' >&2; echo >&2; echo bad >&2; exit 1", MOST, "bad");
    assert_fails("printf 'no newline' >&2; exit 1", MOST, "no newline");
}

static void a_program_that_writes_too_much_has_failed(void **state)
{
    (void)state;
    struct process_output out;
    struct error error;
    assert_int_equal(run_shell("printf 12345", 5, &out, &error), PROCESS_DONE);
    free(out.data);
    assert_fails("printf 123456", 5, "writes more than 5 bytes");
    assert_fails("head -c 200000 /dev/zero", 100000, "writes more than 100000 bytes");
}

static void a_program_that_does_not_end_is_ended_with_what_it_started(void **state)
{
    (void)state;
    int64_t begin = clock_monotonic_ns();
    assert_fails("sleep 1000 & sleep 1000", MOST, "has not ended after 10 s");
    int64_t seconds = (clock_monotonic_ns() - begin) / 1000000000;
    assert_in_range(seconds, PROCESS_PATIENCE_MS / 1000, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_program_writes_is_read_to_its_end),
        cmocka_unit_test(one_that_was_told_to_ignore_ends_hears_of_them),
        cmocka_unit_test(much_output_and_many_errors_do_not_wait_for_each_other),
        cmocka_unit_test(standard_input_is_empty),
        cmocka_unit_test(arguments_arrive_as_they_are),
        cmocka_unit_test(a_program_that_is_not_there_is_told_apart),
        cmocka_unit_test(the_first_line_that_is_no_warning_says_why_it_failed),
        cmocka_unit_test(a_program_that_writes_too_much_has_failed),
        cmocka_unit_test(a_program_that_does_not_end_is_ended_with_what_it_started),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
