/*
 * The report of tests that ran: for people, or as JUnit's XML. One thread.
 *
 * Text that came from senders is printed without its control characters.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_REPORT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "collector/config_tests/config_test.h"
#include "collector/config_tests/growing_text.h"

enum config_test_report_form { CONFIG_TEST_REPORT_TEXT, CONFIG_TEST_REPORT_JUNIT };

/* What --report calls them, NULL at the end. */
extern const char *const config_test_report_names[];

enum config_test_result {
    CONFIG_TEST_PASSED,
    CONFIG_TEST_FAILED,   /* the differences say how */
    CONFIG_TEST_RECORDED, /* it would have failed, and its file now expects what came */
};

struct config_test_report {
    enum config_test_report_form form;
    FILE *to;
    size_t number; /* of the last test, over all files */
    size_t passed, failed, recorded, broken;
    int64_t took_ns;
    struct growing_text suites; /* of JUnit, which begins with what it ends with */
    struct growing_text tests;  /* of the present file */
    size_t suite_count, suite_failed;
    int64_t suite_ns;
};

/* A file begins, and ends. A report is all zero at first but for its form and `to`. */
void config_test_report_begin_file(struct config_test_report *report,
                                   const struct config_test_file *file);
void config_test_report_end_file(struct config_test_report *report,
                                 const struct config_test_file *file);

/* A test ran. */
void config_test_report_add(struct config_test_report *report, const struct config_test_file *file,
                            const struct config_test *test, enum config_test_result result,
                            const struct growing_text *differences, int64_t took_ns);

/*
 * A file is wrong, and so not all of its tests ran: `why` says what. It counts as a test in JUnit's
 * XML; for people the log has it.
 */
void config_test_report_add_broken(struct config_test_report *report, const char *path,
                                   const char *why);

/* Ends the report, and frees what it holds. Returns 0, or -1 with `error` filled: no memory. */
int config_test_report_end(struct config_test_report *report, struct error *error);

#endif
