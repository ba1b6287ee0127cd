/*
 * Writes what came of tests into their file, as what is expected from now on. All else in the file
 * stays as it is, byte for byte. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RECORD_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RECORD_H

#include "collector/config_tests/config_test.h"
#include "collector/config_tests/config_test_run.h"
#include "collector/config_tests/growing_text.h"

/* The file's new text, as far as it is made; all zero at first. */
struct config_test_recording {
    struct growing_text text;
    size_t copied; /* bytes of the file's old text that were passed */
};

/*
 * Has the test, which stands after all that were recorded before, expect this outcome. Returns 0,
 * or -1 with `error` filled: the test stands in braces.
 */
int config_test_record(struct config_test_recording *recording, const struct config_test_file *file,
                       const struct config_test *test, const struct config_test_outcome *outcome,
                       struct error *error);

/*
 * Writes the file anew, where something was recorded, and frees the recording. Returns 0, or -1
 * with `error` filled (EXIT_CODE_IO, EXIT_CODE_INTERNAL). `keep`: nothing is written.
 */
int config_test_record_end(struct config_test_recording *recording,
                           const struct config_test_file *file, bool keep, struct error *error);

#endif
