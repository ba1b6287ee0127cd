#include "collector/program/test_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "collector/config/options.h"
#include "collector/config/provenance.h"
#include "collector/config_tests/config_test_check.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/config_tests/config_test_keys.h"
#include "collector/config_tests/config_test_record.h"
#include "collector/config_tests/config_test_report.h"
#include "collector/config_tests/config_test_run.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/program/registry.h"
#include "proto/reading/json_message.h"

struct testing {
    bool record, help;
    char *const *files;
    int file_count;
    struct config_test_report report;
    enum exit_code code;
};

/* --- the command line ------------------------------------------------------------------------- */

static bool parse_form(const char *text, enum config_test_report_form *form,
                       struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, strlen(text));
    for (size_t i = 0; config_test_report_names[i] != NULL; i++) {
        suggestion_offer(&suggestion, config_test_report_names[i]);
        if (strcmp(text, config_test_report_names[i]) != 0)
            continue;
        *form = (enum config_test_report_form)i;
        return true;
    }
    parse_error_set(fault, 0, "--report %s is not one of text, junit",
                    quoted(text, strlen(text), given));
    parse_error_suggest(fault, suggestion_found(&suggestion));
    return false;
}

static bool unknown_option(const char *text, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, strlen(text));
    suggestion_offer(&suggestion, "--record");
    suggestion_offer(&suggestion, "--report");
    suggestion_offer(&suggestion, "--help");
    parse_error_set(fault, 0, "unknown option %s", quoted(text, strlen(text), given));
    parse_error_suggest(fault, suggestion_found(&suggestion));
    return false;
}

static bool parse_option(int argc, char *const *argv, int *at, struct testing *testing,
                         struct parse_error *fault)
{
    static const char report[] = "--report";
    const char *option = argv[*at];
    if (strcmp(option, "--record") == 0)
        return testing->record = true;
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0)
        return testing->help = true;
    if (strncmp(option, "--report=", sizeof report) == 0)
        return parse_form(option + sizeof report, &testing->report.form, fault);
    if (strcmp(option, report) != 0)
        return unknown_option(option, fault);
    if (*at + 1 == argc)
        return parse_error_set(fault, 0, "--report: its value is missing: text or junit");
    return parse_form(argv[++*at], &testing->report.form, fault);
}

static bool test_parse(int argc, char *const *argv, struct testing *testing,
                       struct parse_error *fault)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++)
        if (!parse_option(argc, argv, &at, testing, fault))
            return false;
    at += at < argc && strcmp(argv[at], "--") == 0;
    testing->files = argv + at;
    testing->file_count = argc - at;
    for (int i = at; i < argc; i++)
        if (argv[i][0] == '\0')
            return parse_error_set(fault, 0, "the name of a FILE is empty");
    return testing->help || testing->file_count != 0 ||
           parse_error_set(fault, 0, "write sluice test [--record] [--report text|junit] FILE...");
}

static void print_help(void)
{
    printf(
        "Usage: sluice test [--record] [--report text|junit] FILE...\n"
        "Runs the tests in each FILE: a configuration, or a file of tests that names one. Opens\n"
        "no sockets and writes no records; the report is printed here. Exit code 1 if a test\n"
        "failed, 78 if a FILE has no tests or is invalid.\n"
        "\n"
        "  --record       write the actual output into FILE, for each test that failed or has\n"
        "                 no expectation yet\n"
        "  --report FORM  text (the default) or junit\n");
    config_test_keys_print(stdout);
}

/* --- the tests of one file -------------------------------------------------------------------- */

static int test_encode(const struct schema_config *schema, const char *json, uint8_t **bytes,
                       size_t *size, struct error *error)
{
    const struct json_message_type type = {
        .schema = schema->from_file ? NULL : schema->source,
        .file = schema->from_file ? schema->source : NULL,
        .message = schema->message,
        .called = "json",
    };
    return json_message_encode(&type, json, bytes, size, error);
}

static void test_note(struct testing *testing, const struct error *error)
{
    log_line(LOG_ERROR, "test: %s", error->text);
    if (testing->code == EXIT_CODE_OK || testing->code == EXIT_CODE_TEST_FAILED)
        testing->code = error->code == EXIT_CODE_USAGE ? EXIT_CODE_CONFIG : error->code;
}

static void note_broken(struct testing *testing, const char *path, const struct error *error)
{
    test_note(testing, error);
    config_test_report_add_broken(&testing->report, path, error->text);
}

/*
 * Reads the configuration without the environment, because environment variables must not influence
 * a test.
 */
static bool read_config(const struct config_test_file *file, struct config *config,
                        struct error *error)
{
    char program[] = "sluice", option[] = "--config";
    char *const argv[] = {program, option, file->config, NULL};
    struct config_registry registry = program_registry;
    registry.output = NULL; /* expected lines must not depend on the terminal */
    return options_parse(3, argv, &registry, config, error) == OPTIONS_RUN;
}

static int test_compare(struct testing *testing, const struct config_test_file *file,
                        const struct config_test *test, const struct config *config,
                        const struct config_test_outcome *outcome,
                        struct config_test_recording *recording, struct growing_text *differences,
                        enum config_test_result *result, struct error *error)
{
    *result = CONFIG_TEST_PASSED;
    if (test->has_expect && config_test_check(file, test, config, outcome, differences, error) != 0)
        return -1;
    if (!test->has_expect && !testing->record) {
        config_test_file_error(file, test->mark,
                               "\"expect\" is missing in this test; sluice test --record writes it",
                               error);
        return -1;
    }
    if (test->has_expect && differences->used == 0)
        return 0;
    *result = testing->record ? CONFIG_TEST_RECORDED : CONFIG_TEST_FAILED;
    return testing->record ? config_test_record(recording, file, test, outcome, error) : 0;
}

static int run_test(struct testing *testing, const struct config_test_file *file,
                    const struct config_test *test, const struct config *config,
                    struct config_test_recording *recording, struct error *error)
{
    struct growing_text differences = {.data = NULL};
    struct config_test_outcome outcome;
    enum config_test_result result;
    int64_t begun_ns = clock_monotonic_ns();
    if (config_test_run(file, test, config, test_encode, &outcome, error) != 0)
        return -1;
    int good = test_compare(testing, file, test, config, &outcome, recording, &differences, &result,
                            error);
    if (good == 0) {
        config_test_report_add(&testing->report, file, test, result, &differences,
                               clock_monotonic_ns() - begun_ns);
        if (result == CONFIG_TEST_FAILED && testing->code == EXIT_CODE_OK)
            testing->code = EXIT_CODE_TEST_FAILED;
    }
    growing_text_free(&differences);
    config_test_outcome_free(&outcome);
    return good;
}

/*
 * Runs the tests of a file. After an invalid test, runs no other test and records nothing in the
 * file.
 */
static int run_tests(struct testing *testing, const struct config_test_file *file,
                     const struct config *config, struct error *error)
{
    struct config_test_recording recording = {.copied = 0};
    struct error why;
    int result = 0;
    config_test_report_begin_file(&testing->report);
    for (size_t i = 0; i < file->count && result == 0; i++)
        result = run_test(testing, file, &file->tests[i], config, &recording, error);
    config_test_report_end_file(&testing->report, file);
    if (config_test_record_end(&recording, file, result != 0, &why) == 0)
        return result;
    *error = why;
    return -1;
}

static void run_part(struct testing *testing, const char *path, const char *whole,
                     const struct config *config, size_t *count)
{
    struct config_test_file file = {.path = NULL};
    struct error error;
    if (!config_test_file_read_part(path, whole, &file, &error) ||
        (file.count != 0 && run_tests(testing, &file, config, &error) != 0))
        note_broken(testing, path, &error);
    *count += file.count;
    config_test_file_free(&file);
}

static void run_parts(struct testing *testing, const char *path,
                      const struct config_test_file *file, const struct config *config)
{
    const struct provenance *read = config->provenance;
    size_t count = file->count;
    struct error error;
    for (size_t i = 1; file->names_more && i < read->file_count; i++)
        run_part(testing, read->files[i], file->config, config, &count);
    if (count != 0)
        return;
    error_set(&error, EXIT_CODE_CONFIG,
              "%s: no tests in this file or in the files that it names; tests are a list named "
              "\"tests\"",
              path);
    note_broken(testing, path, &error);
}

static void run_file(struct testing *testing, const char *path)
{
    struct config_test_file file = {.path = NULL};
    struct config config = {0};
    struct error error;
    if (!config_test_file_read(path, &file, &error) || !read_config(&file, &config, &error) ||
        (file.count != 0 && run_tests(testing, &file, &config, &error) != 0))
        note_broken(testing, path, &error);
    else
        run_parts(testing, path, &file, &config);
    config_free(&config);
    config_test_file_free(&file);
}

/* --- the whole command ------------------------------------------------------------------------ */

static enum exit_code run_files(struct testing *testing)
{
    /* Only errors are logged; warnings about datagrams are in the report. */
    static const struct log_settings quiet = {.level = LOG_ERROR};
    struct error error;
    if (log_begin(&quiet, &error) != 0) {
        test_note(testing, &error);
        return testing->code;
    }
    for (int i = 0; i < testing->file_count; i++)
        run_file(testing, testing->files[i]);
    if (config_test_report_end(&testing->report, &error) != 0)
        test_note(testing, &error);
    log_end();
    return testing->code;
}

enum exit_code test_command(int argc, char *const *argv)
{
    struct testing testing = {.report = {.to = stdout}};
    struct parse_error fault;
    if (!test_parse(argc, argv, &testing, &fault)) {
        log_line(LOG_ERROR, "test: %s", fault.text);
        return EXIT_CODE_USAGE;
    }
    if (!testing.help)
        return run_files(&testing);
    print_help();
    return EXIT_CODE_OK;
}
