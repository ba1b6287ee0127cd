/*
 * Reports the results of tests as text or as JUnit XML. One thread.
 *
 * Control characters in names and output are replaced.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_REPORT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "collector/base/error.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/growing_text.h"

enum config_test_report_form { CONFIG_TEST_REPORT_TEXT, CONFIG_TEST_REPORT_JUNIT };

/* The values of --report, then NULL. */
extern const char *const config_test_report_names[];

enum config_test_result {
    CONFIG_TEST_PASSED,
    CONFIG_TEST_FAILED,   /* the outcome differs; see the differences */
    CONFIG_TEST_RECORDED, /* the outcome differed; it was written into the test's file as the new
                           * expectation */
};

struct config_test_report {
    enum config_test_report_form form;
    FILE *to;
    size_t number; /* number of tests so far, in all files; `broken` is a number of files */
    size_t passed, failed, recorded, broken;
    int64_t took_ns;
    struct growing_text suites; /* JUnit: the suites, which are printed after the totals */
    struct growing_text tests;  /* JUnit: tests of the current file */
    size_t suite_count, suite_failed;
    int64_t suite_ns;
};

/* Begin and end a file. Before the first call, zero the report and set only `form` and `to`. */
void config_test_report_begin_file(struct config_test_report *report);
void config_test_report_end_file(struct config_test_report *report,
                                 const struct config_test_file *file);

/* Adds a test that has run. */
void config_test_report_add(struct config_test_report *report, const struct config_test_file *file,
                            const struct config_test *test, enum config_test_result result,
                            const struct growing_text *differences, int64_t took_ns);

/*
 * Adds a file in which at least one test could not be run; `why` is the reason. In JUnit XML it is
 * a test with an error; for the text report the caller logs the reason.
 */
void config_test_report_add_broken(struct config_test_report *report, const char *path,
                                   const char *why);

/*
 * Ends the report and frees its contents. Returns 0, or -1 with `error` filled if memory was short.
 */
int config_test_report_end(struct config_test_report *report, struct error *error);

#endif
