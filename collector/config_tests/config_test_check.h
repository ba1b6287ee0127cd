/*
 * What came of a test against what its file expects. Pure but for memory; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_CHECK_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_CHECK_H

#include <stdbool.h>

#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_run.h"
#include "collector/config_tests/growing_text.h"

/*
 * Appends to `differences` what is not as expected, in lines for people: of a sink's lines those
 * that are missing after "- ", and those that came instead after "+ ". Nothing is appended where
 * all is. A reason of datagrams that is not expected is a difference, except `control`.
 *
 * Returns 0, or -1 with `error` filled: an expectation is about something that does not exist
 * (EXIT_CODE_CONFIG), or memory is short.
 */
int config_test_check(const struct config_test_file *file, const struct config_test *test,
                      const struct config *config, const struct config_test_outcome *outcome,
                      struct growing_text *differences, struct error *error);

#endif
