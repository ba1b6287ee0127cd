/* Compares the outcome of a test with its expectations. Pure except for allocations; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_CHECK_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_CHECK_H

#include "collector/base/error.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_run.h"
#include "collector/config_tests/growing_text.h"

/*
 * Appends the differences as text: missing lines of a sink after "- ", additional lines after "+ ".
 * Appends no text if all is as expected. If datagrams were not decoded for an unexpected reason,
 * that is a difference, unless the reason is `control`.
 *
 * Returns 0, or -1 with `error` filled: an expectation names a sink or a reason that does not exist
 * (EXIT_CODE_CONFIG), or memory is short.
 */
int config_test_check(const struct config_test_file *file, const struct config_test *test,
                      const struct config *config, const struct config_test_outcome *outcome,
                      struct growing_text *differences, struct error *error);

#endif
