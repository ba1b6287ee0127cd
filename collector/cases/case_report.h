/*
 * The report of tests that ran: for people, or as JUnit's XML. One thread.
 *
 * Text that came from senders is printed without its control characters.
 */
#ifndef SLUICE_COLLECTOR_CASES_CASE_REPORT_H
#define SLUICE_COLLECTOR_CASES_CASE_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "collector/cases/growing_text.h"
#include "collector/cases/test_case.h"

enum case_report_form { CASE_REPORT_TEXT, CASE_REPORT_JUNIT };

/* What --report calls them, NULL at the end. */
extern const char *const case_report_names[];

enum case_result {
    CASE_PASSED,
    CASE_FAILED,   /* the differences say how */
    CASE_RECORDED, /* it would have failed, and its file now expects what came */
};

struct case_report {
    enum case_report_form form;
    FILE *to;
    size_t number; /* of the last test, over all files */
    size_t passed, failed, recorded, broken;
    int64_t took_ns;
    struct growing_text suites; /* of JUnit, which begins with what it ends with */
    struct growing_text cases;  /* of the present file */
    size_t suite_count, suite_failed;
    int64_t suite_ns;
};

/* A file begins, and ends. A report is all zero at first but for its form and `to`. */
void case_report_begin_file(struct case_report *report, const struct case_file *file);
void case_report_end_file(struct case_report *report, const struct case_file *file);

/* A test ran. */
void case_report_add(struct case_report *report, const struct case_file *file,
                     const struct test_case *test, enum case_result result,
                     const struct growing_text *differences, int64_t took_ns);

/*
 * A file is wrong, and so not all of its tests ran: `why` says what. It counts as a test in JUnit's
 * XML; for people the log has it.
 */
void case_report_add_broken(struct case_report *report, const char *path, const char *why);

/* Ends the report, and frees what it holds. Returns 0, or -1 with `error` filled: no memory. */
int case_report_end(struct case_report *report, struct error *error);

#endif
