/* What signals have to do with running another program. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/platform/process.h"

/* Runs a line of shell. */
static enum process_result run_shell(const char *line, struct error *error)
{
    const char *arguments[] = {"sh", "-c", line, NULL};
    struct process_output out;
    enum process_result result = process_run(arguments, 100, &out, error);
    free(out.data);
    return result;
}

static void the_signal_that_ended_a_program_is_told(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(run_shell("kill -9 $$", &error), PROCESS_FAILED);
    assert_string_equal(error.text, "ended by signal 9");
}

/* Whoever started us may have: the system tells nobody then how a program has ended. */
static void one_that_was_told_to_ignore_ends_hears_of_them(void **state)
{
    (void)state;
    struct error error = {0};
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_shell("exit 0", &error), PROCESS_DONE);
    assert_int_equal(run_shell("exit 3", &error), PROCESS_FAILED);
    assert_string_equal(error.text, "ended with exit code 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_signal_that_ended_a_program_is_told),
        cmocka_unit_test(one_that_was_told_to_ignore_ends_hears_of_them),
    };
    return cmocka_run_group_tests_name("process_signals", tests, NULL, NULL);
}
