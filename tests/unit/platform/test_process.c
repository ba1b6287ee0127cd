/* Runs a program to its end. Its output is returned; if it fails, one line says why. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/child.h"
#include "collector/platform/clock.h"
#include "collector/platform/common/process_reading.h"
#include "tests/support/test.h"

#define MOST    ((size_t)1 << 20)    /* maximum bytes of output */
#define TIME_NS INT64_C(30000000000) /* longer than any program here takes */

#define WORDS_MAX 8

static enum process_result run(size_t most, struct process_output *out, struct error *error,
                               const char *const *words)
{
    const char *arguments[WORDS_MAX + 2] = {TEST_ACTOR};
    for (size_t i = 0; words[i] != NULL; i++) {
        assert_true(i < WORDS_MAX);
        arguments[i + 1] = words[i];
    }
    *error = (struct error){0};
    const struct process_limits limits = {most, TIME_NS};
    return process_run(arguments, &limits, out, error);
}

#define words(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_writes(const char *const *told, const char *expected, size_t size)
{
    struct process_output out;
    struct error error;
    if (run(MOST, &out, &error, told) != PROCESS_DONE)
        fail_msg("%s", error.text);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, expected, size);
    free(out.data);
}

static void assert_fails(const char *const *told, size_t most, const char *expected)
{
    struct process_output out;
    struct error error;
    assert_int_equal(run(most, &out, &error, told), PROCESS_FAILED);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    free(out.data);
}

TEST(what_a_program_writes_is_read_to_its_end)
{
    assert_writes(words("out:a", "nul", "out:b", "err:more"), "a\0b", 3);
    assert_writes(words("exit:0"), "", 0);
}

/*
 * Each of the two streams gets more bytes than a pipe holds, so both must be read at the same time.
 */
TEST(much_output_and_many_errors_do_not_wait_for_each_other)
{
    struct process_output out;
    struct error error;
    assert_int_equal(
        run(MOST, &out, &error, words("errzeros:300000", "outzeros:400000", "errzeros:300000")),
        PROCESS_DONE);
    assert_int_equal(out.size, 400000);
    free(out.data);
}

TEST(standard_input_is_empty)
{
    assert_writes(words("cat", "out:end"), "end", 3);
}

TEST(arguments_arrive_as_they_are)
{
    static const char expected[] = "a b||$HOME \"*\"|\\|c:\\d e\\|%PATH%|";
    assert_writes(words("args", "a b", "", "$HOME \"*\"", "\\", "c:\\d e\\", "%PATH%"), expected,
                  sizeof expected - 1);
}

TEST(a_name_is_looked_up_in_path)
{
    const char *arguments[] = {TEST_PROGRAM_IN_PATH, NULL};
    const struct process_limits limits = {MOST, TIME_NS};
    struct process_output out;
    struct error error;
    assert_int_equal(process_run(arguments, &limits, &out, &error), PROCESS_DONE);
    free(out.data);
}

TEST(a_program_that_is_not_there_has_a_result_of_its_own)
{
    const char *names[] = {"no-such-program-anywhere", "/no/such/program"};
    for (size_t i = 0; i < 2; i++) {
        const char *arguments[] = {names[i], NULL};
        const struct process_limits limits = {MOST, TIME_NS};
        struct process_output out;
        struct error error;
        assert_int_equal(process_run(arguments, &limits, &out, &error), PROCESS_NOT_FOUND);
        free(out.data);
    }
}

TEST(the_first_line_that_is_no_warning_says_why_it_failed)
{
    assert_fails(words("exit:3"), MOST, "ended with exit code 3");
    assert_fails(words("out:out", "errline:first", "errline:second", "exit:1"), MOST, "first");
    assert_fails(words("errline:x: warning: odd", "errline:", "errline:bad", "exit:1"), MOST,
                 "bad");
    assert_fails(words("errline:\r", "errline:of Windows\r", "exit:1"), MOST, "of Windows");
    assert_fails(words("err:no newline", "exit:1"), MOST, "no newline");
}

TEST(a_program_that_wrote_nothing_has_failed_by_its_end)
{
    const struct process_reading nothing = {.ended = true};
    struct process_output out;
    struct error error;
    assert_int_equal(
        process_outcome(&nothing, &nothing, NULL, "ended with exit code 3", &out, &error),
        PROCESS_FAILED);
    assert_string_equal(error.text, "ended with exit code 3");
}

TEST(a_program_that_writes_too_much_has_failed)
{
    struct process_output out;
    struct error error;
    assert_int_equal(run(5, &out, &error, words("out:12345")), PROCESS_DONE);
    free(out.data);
    assert_fails(words("out:123456"), 5, "writes more than 5 bytes");
    assert_fails(words("outzeros:200000"), 100000, "writes more than 100000 bytes");
}

/*
 * The program starts another process, which has the same output. If that process lived on, the
 * reader of the output would wait for it.
 */
TEST(a_program_that_does_not_end_is_ended_with_what_it_started)
{
    const char *arguments[] = {TEST_ACTOR, "spawn:sleep", "sleep", NULL};
    const struct process_limits limits = {MOST, INT64_C(300000000)};
    struct process_output out;
    struct error error;
    int64_t begin = clock_monotonic_ns();
    assert_int_equal(process_run(arguments, &limits, &out, &error), PROCESS_FAILED);
    assert_string_equal(error.text, "has not ended after 0.3 s");
    assert_in_range(clock_monotonic_ns() - begin, limits.time_ns, TIME_NS);
    free(out.data);
}
