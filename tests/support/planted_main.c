/*
 * The main function of a test program that was built with a fault in the code under test. It runs
 * only the test that must find the fault, and exits with 0 if that test fails or aborts.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/test.h"

static void end_by_abort(int number)
{
    (void)number;
    _Exit(EXIT_SUCCESS);
}

/* Ends the process without a cleanup, because threads may still use objects of the failed test. */
int main(void)
{
    signal(SIGABRT, end_by_abort);
    int failed = test_run_one(PLANTED_FAULT, PLANTED_FOUND_BY);
    if (failed == 0)
        fprintf(stderr, "%s passes with the fault %s\n", PLANTED_FOUND_BY, PLANTED_FAULT);
    else if (failed < 0)
        fprintf(stderr, "there is no test %s\n", PLANTED_FOUND_BY);
    fflush(NULL);
    _Exit(failed > 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
