/*
 * Fuzzes the reading of a file of configuration tests (`sluice test`), and its changes by
 * `--record`.
 *
 * Fields of the envelope: 1 the file; 2 output of sinks; 3 reasons of refused datagrams; 4 reasons
 * of records that were not written. The numbers in 3 and 4 also contain the counts.
 *
 * An error must be one line with a position, and must leave the file unchanged. A recorded result
 * must be expected afterwards. The file must keep its tests and the text around the expectations,
 * and must not change when it is recorded again. Reports must not contain control characters, and
 * the JUnit report must be XML.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config_tests/config_test_check.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/config_tests/config_test_record.h"
#include "collector/config_tests/config_test_report.h"
#include "collector/text/utf8.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/readers/xml.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"

enum { PART_FILE = 1, PART_WRITTEN = 2, PART_REFUSED = 3, PART_FAILED = 4 };

#define SINKS      3
#define SINK_BYTES 2 /* index of the sink whose output is binary */

static char names[SINKS][16] = {"stdout:", "file:a'b\" c", "udp:[::1]:1"};
static const struct destination_ops destination = {.scheme = "test"};
static struct sink_config sinks[SINKS] = {{.name = names[0], .destination = &destination},
                                          {.name = names[1], .destination = &destination},
                                          {.name = names[2], .destination = &destination}};
static const struct config config = {.sinks = sinks, .sink_count = SINKS};

/* --- the outcome of a test -------------------------------------------------------------------- */

static void put_lines(struct growing_text *to, const struct envelope_part *part)
{
    growing_text_put(to, part->bytes, part->size);
    if (part->size != 0 && part->bytes[part->size - 1] != '\n')
        growing_text_put(to, "\n", 1);
}

static void make_outcome(const struct envelope *envelope, size_t test,
                         struct config_test_outcome *outcome)
{
    *outcome = (struct config_test_outcome){.sink_count = SINKS};
    outcome->sinks = calloc(SINKS, sizeof *outcome->sinks);
    if (outcome->sinks == NULL)
        abort();
    for (size_t i = 0; i < SINKS; i++) {
        struct config_test_sink_outcome *sink = &outcome->sinks[i];
        const struct envelope_part *part = envelope_bytes(envelope, PART_WRITTEN, test + i);
        sink->name = names[i];
        sink->binary = i == SINK_BYTES;
        if (part != NULL && sink->binary)
            growing_text_put_hex(&sink->lines, part->bytes, part->size, CONFIG_TEST_HEX_WIDTH);
        else if (part != NULL)
            put_lines(&sink->lines, part);
    }
    for (size_t i = 0; i < envelope->count; i++) {
        const struct envelope_part *part = &envelope->parts[i];
        uint64_t count = part->value >> 8;
        size_t reason = (size_t)(part->value & 0xff);
        if (part->number == PART_REFUSED)
            outcome->refused[reason % REASON_COUNT] = count;
        if (part->number == PART_FAILED && reason % (FAILURE_COUNT + 1) == FAILURE_COUNT)
            outcome->sinks[test % SINKS].filtered = count;
        else if (part->number == PART_FAILED)
            outcome->sinks[test % SINKS].failed[reason % (FAILURE_COUNT + 1)] = count;
    }
}

/* --- a file ----------------------------------------------------------------------------------- */

static void check_error(const struct error *error)
{
    char path[SCRATCH_PATH_SIZE];
    unsigned long line, column;
    scratch_file("config_tests", path);
    EXPECT(error->code == EXIT_CODE_CONFIG, "exit code %d: %s", (int)error->code, error->text);
    EXPECT(strncmp(error->text, path, strlen(path)) == 0 &&
               sscanf(error->text + strlen(path), ":%lu:%lu: ", &line, &column) == 2 && line != 0,
           "no place: %s", error->text);
    for (const char *c = error->text; *c != '\0'; c++)
        EXPECT((unsigned char)*c >= ' ' && *c != 0x7f, "a control character: %s", error->text);
}

static bool read_file(struct config_test_file *file)
{
    char path[SCRATCH_PATH_SIZE];
    struct error error = {0};
    scratch_file("config_tests", path);
    *file = (struct config_test_file){.path = NULL};
    if (config_test_file_read(path, file, &error))
        return true;
    check_error(&error);
    config_test_file_free(file);
    return false;
}

/* Records the results of all tests. Returns false if a test cannot be recorded. */
static bool record(const struct envelope *envelope, const struct config_test_file *file)
{
    struct config_test_recording recording = {.copied = 0};
    struct config_test_outcome outcome;
    struct error error = {0};
    bool good = true;
    for (size_t i = 0; good && i < file->count; i++) {
        make_outcome(envelope, i, &outcome);
        good = config_test_record(&recording, file, &file->tests[i], &outcome, &error) == 0;
        EXPECT(good || file->tests[i].in_braces, "it is not recorded: %s", error.text);
        config_test_outcome_free(&outcome);
    }
    EXPECT(config_test_record_end(&recording, file, !good, &error) == 0,
           "it is not recorded: %s\n%s", error.text, file->text);
    return good;
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool is_same(const struct config_test_text *one, const struct config_test_text *other)
{
    return (one->data == NULL) == (other->data == NULL) && one->size == other->size &&
           (one->size == 0 || memcmp(one->data, other->data, one->size) == 0);
}

static void check_same_test(const struct config_test *before, const struct config_test *after)
{
    EXPECT(is_same(&before->name, &after->name) && is_same(&before->listener, &after->listener) &&
               is_same(&before->hostname, &after->hostname) &&
               before->input_count == after->input_count,
           "\"%s\" has become another test", before->name.data);
    for (size_t i = 0; i < before->input_count; i++) {
        const struct config_test_input *one = &before->inputs[i], *other = &after->inputs[i];
        EXPECT(one->kind == other->kind && is_same(&one->text, &other->text) &&
                   is_same(&one->schema, &other->schema) && one->time_ns == other->time_ns &&
                   address_equal(&one->source, &other->source),
               "input %zu of \"%s\" is another one", i, before->name.data);
    }
}

/* Checks that the text before the first test and after the last one is unchanged. */
static void check_around(const struct config_test_file *before,
                         const struct config_test_file *after)
{
    const struct config_test *last = &before->tests[before->count - 1];
    size_t begin = config_test_file_at(before, before->tests[0].mark);
    size_t rest =
        before->size - config_test_file_at(before, (struct provenance_mark){last->expect_end, 1});
    EXPECT(after->size >= begin && memcmp(before->text, after->text, begin) == 0,
           "the text in front of the tests has changed:\n%s", after->text);
    EXPECT(after->size >= rest && memcmp(before->text + before->size - rest,
                                         after->text + after->size - rest, rest) == 0,
           "the text after the tests has changed:\n%s", after->text);
}

static void check_expected(const struct envelope *envelope, const struct config_test_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        struct growing_text differences = {.data = NULL};
        struct config_test_outcome outcome;
        struct error error = {0};
        make_outcome(envelope, i, &outcome);
        EXPECT(config_test_check(file, &file->tests[i], &config, &outcome, &differences, &error) ==
                   0,
               "what was recorded cannot be compared: %s\n%s", error.text, file->text);
        EXPECT(differences.used == 0, "what was recorded is not what came:\n%.*s\n%s",
               (int)differences.used, differences.data, file->text);
        config_test_outcome_free(&outcome);
        growing_text_free(&differences);
    }
}

static void check_recorded(const struct envelope *envelope, const struct config_test_file *file)
{
    struct config_test_file once, twice;
    if (!record(envelope, file))
        return;
    EXPECT(read_file(&once) && once.count == file->count, "there are other tests now");
    for (size_t i = 0; i < file->count; i++)
        check_same_test(&file->tests[i], &once.tests[i]);
    check_around(file, &once);
    check_expected(envelope, &once);
    EXPECT(record(envelope, &once) && read_file(&twice), "it is not recorded a second time");
    EXPECT(twice.size == once.size && memcmp(twice.text, once.text, once.size) == 0,
           "recorded again it changes:\n%s\n%s", once.text, twice.text);
    config_test_file_free(&once);
    config_test_file_free(&twice);
}

/* --- reports ---------------------------------------------------------------------------------- */

static void report_test(struct config_test_report *report, const struct envelope *envelope,
                        const struct config_test_file *file, size_t number)
{
    struct growing_text differences = {.data = NULL};
    struct config_test_outcome outcome;
    struct error error = {0};
    const struct config_test *test = &file->tests[number];
    make_outcome(envelope, number, &outcome);
    if (config_test_check(file, test, &config, &outcome, &differences, &error) == 0)
        config_test_report_add(report, file, test,
                               differences.used == 0 ? CONFIG_TEST_PASSED : CONFIG_TEST_FAILED,
                               &differences, 1);
    else
        check_error(&error);
    config_test_outcome_free(&outcome);
    growing_text_free(&differences);
}

static void check_report(const char *text, size_t size, enum config_test_report_form form)
{
    for (size_t at = 0; at < size;) {
        bool valid;
        size_t length = utf8_sequence((const uint8_t *)text + at, size - at, &valid);
        unsigned char byte = (unsigned char)text[at];
        bool ends = byte == '\n' || (byte == '\r' && at + 1 < size && text[at + 1] == '\n');
        EXPECT((byte >= ' ' || ends) && byte != 0x7f, "a control character: %.*s", (int)size, text);
        EXPECT(!valid || length != 2 || byte != 0xc2 || (unsigned char)text[at + 1] >= 0xa0,
               "a control character of C1: %.*s", (int)size, text);
        at += valid ? length : 1;
    }
    const char *wrong = form == CONFIG_TEST_REPORT_JUNIT ? xml_wrong(text, size) : NULL;
    EXPECT(wrong == NULL, "%s: %.*s", wrong, (int)size, text);
}

static void check_reports(const struct envelope *envelope, const struct config_test_file *file)
{
    for (enum config_test_report_form form = CONFIG_TEST_REPORT_TEXT;
         form <= CONFIG_TEST_REPORT_JUNIT; form++) {
        struct config_test_report report = {.form = form};
        struct error error;
        char *text = NULL;
        size_t size = 0;
        report.to = open_memstream(&text, &size);
        if (report.to == NULL)
            abort();
        config_test_report_begin_file(&report);
        for (size_t i = 0; i < file->count; i++)
            report_test(&report, envelope, file, i);
        config_test_report_end_file(&report, file);
        EXPECT(config_test_report_end(&report, &error) == 0, "no report: %s", error.text);
        fclose(report.to);
        check_report(text, size, form);
        free(text);
    }
}

/* --- an input --------------------------------------------------------------------------------- */

static void expect_unchanged(const struct envelope_part *part)
{
    size_t size;
    uint8_t *now = scratch_read("config_tests", &size);
    EXPECT(now != NULL && size == part->size && memcmp(now, part->bytes, size) == 0,
           "the file has changed");
    free(now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    struct config_test_file file;
    envelope_read(&envelope, data, size);
    const struct envelope_part *part = envelope_bytes(&envelope, PART_FILE, 0);
    if (part != NULL) {
        scratch_write("config_tests", part->bytes, part->size);
        bool good = read_file(&file);
        if (good)
            check_reports(&envelope, &file);
        expect_unchanged(part);
        if (good && file.count != 0)
            check_recorded(&envelope, &file);
        if (good)
            config_test_file_free(&file);
    }
    envelope_free(&envelope);
    return 0;
}
