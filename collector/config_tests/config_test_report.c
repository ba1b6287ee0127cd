#include "collector/config_tests/config_test_report.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/control_character.h"
#include "collector/text/utf8.h"

const char *const config_test_report_names[] = {
    [CONFIG_TEST_REPORT_TEXT] = "text", [CONFIG_TEST_REPORT_JUNIT] = "junit", NULL};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_text(const struct config_test_report *report, const struct config_test_file *file,
                     const struct config_test *test, enum config_test_result result,
                     const struct growing_text *differences)
{
    static const char *const words[] = {[CONFIG_TEST_PASSED] = "passed",
                                        [CONFIG_TEST_FAILED] = "failed",
                                        [CONFIG_TEST_RECORDED] = "recorded"};
    if (result == CONFIG_TEST_PASSED)
        return;
    fprintf(report->to, "%s: %s:%zu: %s\n", words[result], file->path, test->mark.line,
            test->name.data);
    if (result == CONFIG_TEST_FAILED && differences->used != 0)
        fwrite(differences->data, 1, differences->used, report->to);
}

static void end_text(const struct config_test_report *report)
{
    fprintf(report->to, "%zu tests: %zu passed, %zu failed", report->number, report->passed,
            report->failed);
    if (report->recorded != 0)
        fprintf(report->to, ", %zu recorded", report->recorded);
    if (report->broken != 0)
        fprintf(report->to, ", %zu files with errors", report->broken);
    fprintf(report->to, ", %.3f s\n", seconds(report->took_ns));
}

/* --- JUnit ------------------------------------------------------------------------------------ */

/*
 * Returns the replacement of a character that XML reserves or cannot represent (XML 1.0, 2.2),
 * otherwise NULL.
 */
static const char *in_xml(const char *text, size_t length, bool valid)
{
    bool no_character = length == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
                                        memcmp(text, "\xef\xbf\xbf", 3) == 0);
    bool control = (uint8_t)*text < 0x20 && memchr("\t\n\r", *text, 3) == NULL;
    if (!valid || no_character || control)
        return "?";
    switch (*text) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static void put_xml(struct growing_text *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        bool valid;
        size_t length = utf8_sequence((const uint8_t *)text + i, size - i, &valid);
        const char *instead = in_xml(text + i, length, valid);
        if (instead != NULL)
            growing_text_put(to, instead, strlen(instead));
        else
            growing_text_put(to, text + i, length);
        i += length;
    }
}

static void add_junit(struct config_test_report *report, const struct config_test_file *file,
                      const struct config_test *test, enum config_test_result result,
                      const struct growing_text *differences, int64_t took_ns)
{
    struct growing_text *to = &report->tests;
    growing_text_print(to, "    <testcase classname=\"");
    put_xml(to, file->path, strlen(file->path));
    growing_text_print(to, "\" name=\"");
    put_xml(to, test->name.data, test->name.size);
    growing_text_print(to, "\" time=\"%.6f\"", seconds(took_ns));
    if (result != CONFIG_TEST_FAILED) {
        growing_text_print(to, "/>\n");
        return;
    }
    growing_text_print(to, ">\n      <failure message=\"not as expected\">");
    put_xml(to, differences->data, differences->used);
    growing_text_print(to, "</failure>\n    </testcase>\n");
}

static void add_broken_junit(struct config_test_report *report, const char *path, const char *why)
{
    struct growing_text *to = &report->suites;
    growing_text_print(to, "  <testsuite name=\"");
    put_xml(to, path, strlen(path));
    growing_text_print(to, "\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0\">\n"
                           "    <testcase classname=\"");
    put_xml(to, path, strlen(path));
    growing_text_print(to, "\" name=\"the file\" time=\"0\">\n      <error message=\"");
    put_xml(to, why, strlen(why));
    growing_text_print(to, "\"/>\n    </testcase>\n  </testsuite>\n");
}

static void end_junit_file(struct config_test_report *report, const struct config_test_file *file)
{
    struct growing_text *to = &report->suites;
    growing_text_print(to, "  <testsuite name=\"");
    put_xml(to, file->path, strlen(file->path));
    growing_text_print(to, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.6f\">\n",
                       report->suite_count, report->suite_failed, seconds(report->suite_ns));
    growing_text_put(to, report->tests.data, report->tests.used);
    growing_text_print(to, "  </testsuite>\n");
    to->failed |= report->tests.failed;
    growing_text_free(&report->tests);
}

static void end_junit(const struct config_test_report *report)
{
    fprintf(report->to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.6f\">\n",
            report->number, report->failed, report->broken, seconds(report->took_ns));
    fwrite(report->suites.data != NULL ? report->suites.data : "", 1, report->suites.used,
           report->to);
    fputs("</testsuites>\n", report->to);
}

/* --- the report ------------------------------------------------------------------------------- */

void config_test_report_begin_file(struct config_test_report *report)
{
    report->suite_count = report->suite_failed = 0;
    report->suite_ns = 0;
}

void config_test_report_end_file(struct config_test_report *report,
                                 const struct config_test_file *file)
{
    if (report->form == CONFIG_TEST_REPORT_JUNIT)
        end_junit_file(report, file);
}

/* Replaces control characters, which senders may have put into the differences. */
static void hide(char *text, size_t size)
{
    if (size != 0)
        control_characters_hide_in_lines(text, size);
}

void config_test_report_add(struct config_test_report *report, const struct config_test_file *file,
                            const struct config_test *test, enum config_test_result result,
                            const struct growing_text *differences, int64_t took_ns)
{
    struct growing_text shown = {.data = NULL};
    struct config_test named = *test;
    named.name.data = NULL;
    growing_text_put(&shown, differences->data, differences->used);
    hide(shown.data, shown.used);
    struct growing_text name = {.data = NULL};
    growing_text_put(&name, test->name.data, test->name.size + 1);
    if (!name.failed && !shown.failed) {
        control_characters_hide(name.data, test->name.size);
        named.name.data = name.data;
    }
    report->number++;
    report->suite_count++;
    report->took_ns += took_ns;
    report->suite_ns += took_ns;
    report->passed += result == CONFIG_TEST_PASSED;
    report->failed += result == CONFIG_TEST_FAILED;
    report->suite_failed += result == CONFIG_TEST_FAILED;
    report->recorded += result == CONFIG_TEST_RECORDED;
    if (named.name.data == NULL)
        report->suites.failed = true;
    else if (report->form == CONFIG_TEST_REPORT_TEXT)
        add_text(report, file, &named, result, &shown);
    else
        add_junit(report, file, &named, result, &shown, took_ns);
    growing_text_free(&shown);
    growing_text_free(&name);
}

void config_test_report_add_broken(struct config_test_report *report, const char *path,
                                   const char *why)
{
    report->broken++;
    if (report->form == CONFIG_TEST_REPORT_TEXT)
        return;
    report->number++;
    add_broken_junit(report, path, why);
}

int config_test_report_end(struct config_test_report *report, struct error *error)
{
    RULE(report->passed + report->failed + report->recorded +
                 (report->form == CONFIG_TEST_REPORT_JUNIT ? report->broken : 0) ==
             report->number,
         "each reported test has one result");
    int result = report->suites.failed ? error_no_memory(error) : 0;
    if (report->form == CONFIG_TEST_REPORT_TEXT)
        end_text(report);
    else
        end_junit(report);
    growing_text_free(&report->suites);
    growing_text_free(&report->tests);
    return result;
}
