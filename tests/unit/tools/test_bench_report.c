/* What the bench says: tables, or the same as one document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"
#include "tools/bench/report.h"
#include "tools/bench/targets.h"

static const struct report_column columns[] = {
    {"what", "what", -6, 0},
    {"ns", "ns", 6, 1},
};

static void say(FILE *out, bool json, bool whole)
{
    struct report report;
    assert_true(report_begin(&report, out, json));
    report_facts_begin(&report, "machine");
    report_fact_text(&report, "cpu", "processor", "a \"fast\" one");
    report_fact_number(&report, "buffer", "buffer", 4096, "KiB");
    report_facts_end(&report);
    report_table_begin(&report, "costs", "Costs", columns, 2);
    report_row(&report, (struct report_cell[]){report_word("one"), report_number(1.25)});
    report_row(&report, (struct report_cell[]){report_word("none"), report_number((double)NAN)});
    report_table_end(&report);
    report_note(&report, "%d of them", 2);
    assert_true(report_end(&report, whole));
}

static char *said(bool json, bool whole)
{
    size_t size;
    FILE *out = fopen(scratch_path("said"), "wb");
    assert_non_null(out);
    say(out, json, whole);
    assert_int_equal(fclose(out), 0);
    return scratch_read("said", &size);
}

static void for_a_person_it_is_tables(void **state)
{
    (void)state;
    char *text = said(false, true);
    assert_string_equal(text, "processor        a \"fast\" one\n"
                              "buffer           4096 KiB\n"
                              "\n"
                              "Costs\n"
                              "what       ns\n"
                              "one       1.2\n"
                              "none        -\n"
                              "2 of them\n");
    free(text);
}

static void for_a_program_it_is_one_document(void **state)
{
    (void)state;
    char *text = said(true, true);
    assert_string_equal(
        text, "{\"machine\":{\"cpu\":\"a \\\"fast\\\" one\",\"buffer\":4096},"
              "\"costs\":[{\"what\":\"one\",\"ns\":1.25},{\"what\":\"none\",\"ns\":null}],"
              "\"notes\":[\"2 of them\"]}\n");
    free(text);
}

static void a_document_that_is_not_whole_is_not_written(void **state)
{
    (void)state;
    char *text = said(true, false);
    assert_string_equal(text, "");
    free(text);
}

static void a_target_is_met_at_its_bound(void **state)
{
    (void)state;
    assert_true(target_met(TARGET_METRIC1_1000, 3.0));
    assert_false(target_met(TARGET_METRIC1_20000, 1.21));
    assert_true(target_met(TARGET_METRIC1_BLOCKING, 0.8));
    assert_false(target_met(TARGET_METRIC1_BLOCKING, 0.81));
    assert_true(target_met(TARGET_METRIC1_PAUSE, 1.8));
    assert_true(target_met(TARGET_BATCH20_PAUSE, 3.0));
    assert_false(target_met(TARGET_BATCH20_PAUSE, 3.1));
    assert_true(target_met(TARGET_PLAIN_RATE, 1.0));
    assert_false(target_met(TARGET_PLAIN_RATE, 0.99));
    assert_true(target_met(TARGET_SEGMENTING_RATE, 0.55));
    assert_false(target_met(TARGET_SEGMENTING_RATE, 0.5));
    assert_true(target_met(TARGET_MEMORY, 8));
    assert_false(target_met(TARGET_MEMORY, 8.5));
    assert_false(target_met(TARGET_METRIC1_BLOCKING, (double)NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_a_person_it_is_tables),
        cmocka_unit_test(for_a_program_it_is_one_document),
        cmocka_unit_test(a_document_that_is_not_whole_is_not_written),
        cmocka_unit_test(a_target_is_met_at_its_bound),
    };
    return cmocka_run_group_tests_name("bench_report", tests, scratch_make, scratch_remove);
}
