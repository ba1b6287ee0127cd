/*
 * Writes what came of tests into their file, as what is expected from now on. All else in the file
 * stays as it is, byte for byte. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_RECORD_H
#define SLUICE_COLLECTOR_CASES_CASE_RECORD_H

#include "collector/cases/case_run.h"
#include "collector/cases/growing_text.h"
#include "collector/cases/test_case.h"

/* The file's new text, as far as it is made; all zero at first. */
struct case_recording {
    struct growing_text text;
    size_t copied; /* bytes of the file's old text that were passed */
};

/*
 * Has the test, which stands after all that were recorded before, expect this outcome. Returns 0,
 * or -1 with `error` filled: the test stands in braces.
 */
int case_record(struct case_recording *recording, const struct case_file *file,
                const struct test_case *test, const struct case_outcome *outcome,
                struct error *error);

/*
 * Writes the file anew, where something was recorded, and frees the recording. Returns 0, or -1
 * with `error` filled (EXIT_CODE_IO, EXIT_CODE_INTERNAL). `keep`: nothing is written.
 */
int case_record_end(struct case_recording *recording, const struct case_file *file, bool keep,
                    struct error *error);

#endif
