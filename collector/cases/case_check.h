/*
 * What came of a test against what its file expects. Pure but for memory; any thread.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_CHECK_H
#define SLUICE_COLLECTOR_CASES_CASE_CHECK_H

#include <stdbool.h>

#include "collector/cases/case_run.h"
#include "collector/cases/growing_text.h"
#include "collector/cases/test_case.h"

/*
 * Appends to `differences` what is not as expected, in lines for people: of a sink's lines those
 * that are missing after "- ", and those that came instead after "+ ". Nothing is appended where
 * all is. A reason of datagrams that is not expected is a difference, except `control`.
 *
 * Returns 0, or -1 with `error` filled: an expectation is about something that does not exist
 * (EXIT_CODE_CONFIG), or memory is short.
 */
int case_check(const struct case_file *file, const struct test_case *test,
               const struct config *config, const struct case_outcome *outcome,
               struct growing_text *differences, struct error *error);

#endif
