/*
 * Writes the outcome of tests into their file as the new expectations. The rest of the file is kept
 * byte for byte. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RECORD_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RECORD_H

#include "collector/base/error.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_run.h"
#include "collector/config_tests/growing_text.h"

/* The new text of the file up to the last recorded test. Begin with a zeroed struct. */
struct config_test_recording {
    struct growing_text text;
    size_t copied; /* number of bytes of the old text that were copied or replaced */
};

/*
 * Replaces the expectations of a test by this outcome. Tests must be recorded in the order of the
 * file. Returns 0, or -1 with `error` filled if the test is written as {...}.
 */
int config_test_record(struct config_test_recording *recording, const struct config_test_file *file,
                       const struct config_test *test, const struct config_test_outcome *outcome,
                       struct error *error);

/*
 * Ends the recording and frees it. Rewrites the file if a test was recorded and `keep` is false.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_IO, EXIT_CODE_INTERNAL).
 */
int config_test_record_end(struct config_test_recording *recording,
                           const struct config_test_file *file, bool keep, struct error *error);

#endif
