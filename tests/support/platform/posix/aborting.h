/* Asserts that a broken rule (collector/base/rule.h) aborts the program. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_POSIX_ABORTING_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_POSIX_ABORTING_H

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

/* Asserts that `act` calls abort(). Runs it in a child process. */
static inline void assert_aborts(void (*act)(void))
{
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

#endif
