#include <signal.h>
#include <stdlib.h>

#include "collector/platform/child.h"
#include "tests/support/test.h"

static enum process_result run_shell(const char *line, struct error *error)
{
    const char *arguments[] = {"sh", "-c", line, NULL};
    struct process_output out;
    const struct process_limits limits = {100, INT64_C(30000000000)};
    enum process_result result = process_run(arguments, &limits, &out, error);
    free(out.data);
    return result;
}

TEST(the_signal_that_ended_a_program_is_reported)
{
    struct error error = {0};
    assert_int_equal(run_shell("kill -9 $$", &error), PROCESS_FAILED);
    assert_string_equal(error.text, "ended by signal 9");
}

/*
 * The process that started this one may have ignored SIGCHLD. Then the system does not report how a
 * child ended.
 */
TEST(one_that_ignores_ends_is_notified_of_them)
{
    struct error error = {0};
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_shell("exit 0", &error), PROCESS_DONE);
    assert_int_equal(run_shell("exit 3", &error), PROCESS_FAILED);
    assert_string_equal(error.text, "ended with exit code 3");
}
