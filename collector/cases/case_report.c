#include "collector/cases/case_report.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/control_character.h"
#include "collector/text/utf8.h"

const char *const case_report_names[] = {
    [CASE_REPORT_TEXT] = "text", [CASE_REPORT_JUNIT] = "junit", NULL};

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* --- for people ------------------------------------------------------------------------------- */

static void add_text(const struct case_report *report, const struct case_file *file,
                     const struct test_case *test, enum case_result result,
                     const struct growing_text *differences)
{
    static const char *const words[] = {
        [CASE_PASSED] = "passed", [CASE_FAILED] = "failed", [CASE_RECORDED] = "recorded"};
    if (result == CASE_PASSED)
        return;
    fprintf(report->to, "%s: %s:%zu: %s\n", words[result], file->path, test->mark.line,
            test->name.data);
    if (result == CASE_FAILED && differences->used != 0)
        fwrite(differences->data, 1, differences->used, report->to);
}

static void end_text(const struct case_report *report)
{
    fprintf(report->to, "%zu tests: %zu passed, %zu failed", report->number, report->passed,
            report->failed);
    if (report->recorded != 0)
        fprintf(report->to, ", %zu recorded", report->recorded);
    if (report->broken != 0)
        fprintf(report->to, ", %zu files are wrong", report->broken);
    fprintf(report->to, ", %.3f s\n", seconds(report->took_ns));
}

/* --- JUnit ------------------------------------------------------------------------------------ */

/* What stands for a character that XML keeps for itself, or has no form for; NULL: itself. */
static const char *in_xml(const char *text, size_t length, bool valid)
{
    bool no_character = length == 3 && (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
                                        memcmp(text, "\xef\xbf\xbf", 3) == 0);
    if (!valid || no_character)
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

/* Control characters, which XML has no form for either, were hidden before. */
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

static void add_junit(struct case_report *report, const struct case_file *file,
                      const struct test_case *test, enum case_result result,
                      const struct growing_text *differences, int64_t took_ns)
{
    struct growing_text *to = &report->cases;
    growing_text_print(to, "    <testcase classname=\"");
    put_xml(to, file->path, strlen(file->path));
    growing_text_print(to, "\" name=\"");
    put_xml(to, test->name.data, test->name.size);
    growing_text_print(to, "\" time=\"%.6f\"", seconds(took_ns));
    if (result != CASE_FAILED) {
        growing_text_print(to, "/>\n");
        return;
    }
    growing_text_print(to, ">\n      <failure message=\"not as expected\">");
    put_xml(to, differences->data, differences->used);
    growing_text_print(to, "</failure>\n    </testcase>\n");
}

static void add_broken_junit(struct case_report *report, const char *path, const char *why)
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

static void end_junit_file(struct case_report *report, const struct case_file *file)
{
    struct growing_text *to = &report->suites;
    growing_text_print(to, "  <testsuite name=\"");
    put_xml(to, file->path, strlen(file->path));
    growing_text_print(to, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.6f\">\n",
                       report->suite_count, report->suite_failed, seconds(report->suite_ns));
    growing_text_put(to, report->cases.data, report->cases.used);
    growing_text_print(to, "  </testsuite>\n");
    to->failed |= report->cases.failed;
    growing_text_free(&report->cases);
}

static void end_junit(const struct case_report *report)
{
    fprintf(report->to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" time=\"%.6f\">\n",
            report->number, report->failed, report->broken, seconds(report->took_ns));
    fwrite(report->suites.data != NULL ? report->suites.data : "", 1, report->suites.used,
           report->to);
    fputs("</testsuites>\n", report->to);
}

/* --- all of it -------------------------------------------------------------------------------- */

void case_report_begin_file(struct case_report *report, const struct case_file *file)
{
    (void)file;
    report->suite_count = report->suite_failed = 0;
    report->suite_ns = 0;
}

void case_report_end_file(struct case_report *report, const struct case_file *file)
{
    if (report->form == CASE_REPORT_JUNIT)
        end_junit_file(report, file);
}

/* What differs has texts of senders in it, and a name has what its file has. */
static void hide(char *text, size_t size)
{
    if (size != 0)
        control_characters_hide_in_lines(text, size);
}

void case_report_add(struct case_report *report, const struct case_file *file,
                     const struct test_case *test, enum case_result result,
                     const struct growing_text *differences, int64_t took_ns)
{
    struct growing_text shown = {.data = NULL};
    struct test_case named = *test;
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
    report->passed += result == CASE_PASSED;
    report->failed += result == CASE_FAILED;
    report->suite_failed += result == CASE_FAILED;
    report->recorded += result == CASE_RECORDED;
    if (named.name.data == NULL)
        report->suites.failed = true;
    else if (report->form == CASE_REPORT_TEXT)
        add_text(report, file, &named, result, &shown);
    else
        add_junit(report, file, &named, result, &shown, took_ns);
    growing_text_free(&shown);
    growing_text_free(&name);
}

void case_report_add_broken(struct case_report *report, const char *path, const char *why)
{
    report->broken++;
    if (report->form == CASE_REPORT_TEXT)
        return;
    report->number++;
    add_broken_junit(report, path, why);
}

int case_report_end(struct case_report *report, struct error *error)
{
    int result = report->suites.failed ? error_no_memory(error) : 0;
    if (report->form == CASE_REPORT_TEXT)
        end_text(report);
    else
        end_junit(report);
    growing_text_free(&report->suites);
    growing_text_free(&report->cases);
    return result;
}
