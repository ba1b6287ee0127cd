/*
 * Mutates files of config tests, always in the same way. Each result is refused with line and
 * column, or is valid; a valid file is still valid after its outcomes are recorded. No mutation
 * causes a crash or a leak, which the sanitizers detect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config_tests/config_test_file.h"
#include "collector/config_tests/config_test_record.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define MUTATIONS TEST_TRIES(3000)
#define ROOM      4096

static const char good[] = "# a configuration\n"
                           "listeners: ['udp://127.0.0.1:5555?schema=riemann']\n"
                           "tests:\n"
                           "  - name: first\n"
                           "    input:\n"
                           "      json: |\n"
                           "        {\"events\": [\n"
                           "        # no comment\n"
                           "        ]}\n"
                           "\n"
                           "    # of what is expected\n"
                           "    expect:\n"
                           "      - sink: stdout\n"
                           "        lines: |\n"
                           "          # a line\n"
                           "          another\n"
                           "\n"
                           "  # of the second\n"
                           "  - expect: [{refused: malformed, count: 2}]\n"
                           "    name: \"second\"\n"
                           "    input:\n"
                           "    - hex: ff ff\n"
                           "      source: 192.0.2.7:99\n"
                           "      time: 2026-11-21T06:43:36.38Z\n"
                           "    - capture: x.pcap\n"
                           "  - name: third\n"
                           "    hostname: h\n"
                           "    input: {base64: AAAA}\n"
                           "sinks: [stdout]\n";

static uint64_t random_state;

struct content {
    char bytes[ROOM];
    size_t size;
};

/* --- recording outcomes ----------------------------------------------------------------------- */

/*
 * Lines that are difficult to quote in YAML: empty ones, special characters, and bytes that are not
 * UTF-8.
 */
static char hard[] =
    "plain\n\n  # - a: 'b' \"c\" \\\n\xc2\x85\xe2\x80\xa8\xef\xbb\xbf\t\r\n\xff\x80\n";
static char easy[] = "{\"a\": 1}\n# b\n- c\n";

static void record_all(const struct config_test_file *file)
{
    struct config_test_sink_outcome sinks[] = {
        {.name = "stdout:", .lines = {.data = hard, .used = sizeof hard - 1}},
        {.name = "file:a'b\"", .lines = {.data = easy, .used = sizeof easy - 1}},
        {.name = "file:x", .filtered = 2},
    };
    struct config_test_outcome outcome = {.sinks = sinks, .sink_count = 3};
    struct config_test_recording recording = {.copied = 0};
    struct config_test_file again = {.path = NULL};
    struct error error;
    outcome.refused[REASON_MALFORMED] = 1;
    for (size_t i = 0; i < file->count; i++) {
        if (config_test_record(&recording, file, &file->tests[i], &outcome, &error) == 0)
            continue;
        assert_non_null(strstr(error.text, "in braces"));
        assert_int_equal(config_test_record_end(&recording, file, true, &error), 0);
        return;
    }
    if (config_test_record_end(&recording, file, false, &error) != 0)
        fail_msg("%s\n%s", error.text, file->text);
    if (!config_test_file_read(file->path, &again, &error))
        fail_msg("%s\n%s", error.text, file->text);
    assert_int_equal(again.count, file->count);
    for (size_t i = 0; i < again.count; i++) {
        const struct config_test *test = &again.tests[i];
        assert_string_equal(test->name.data, file->tests[i].name.data);
        assert_int_equal(test->input_count, file->tests[i].input_count);
        assert_int_equal(test->expectation_count, 4);
        assert_int_equal(test->expectations[0].form, CONFIG_TEST_FORM_LIKE);
        assert_int_equal(test->expectations[0].line_count, 5);
        assert_string_equal(test->expectations[0].lines[2].data, "  # - a: 'b' \"c\" \\");
        assert_string_equal(test->expectations[0].lines[4].data, "??");
        assert_string_equal(test->expectations[1].sink.data, "file:a'b\"");
        assert_int_equal(test->expectations[1].line_count, 3);
        assert_string_equal(test->expectations[1].lines[1].data, "# b");
    }
    config_test_file_free(&again);
}

/* --- checking the results --------------------------------------------------------------------- */

static bool is_accepted(const struct content *text)
{
    struct config_test_file file = {.path = NULL};
    struct error error = {.text = ""};
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("t.yaml"));
    scratch_put_text("t.yaml", ""); /* recording requires an existing file */
    bool good_file = config_test_file_parse(path, text->bytes, text->size, &file, &error);
    if (good_file) {
        record_all(&file);
    } else {
        unsigned long line, column;
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        assert_memory_equal(error.text, path, strlen(path));
        if (sscanf(error.text + strlen(path), ":%lu:%lu: ", &line, &column) != 2 || line == 0)
            fail_msg("no place in: %s", error.text);
    }
    config_test_file_free(&file);
    return good_file;
}

static void begin(struct content *text)
{
    memcpy(text->bytes, good, sizeof good);
    text->size = sizeof good - 1;
}

static size_t below(size_t end)
{
    return (size_t)next_below(&random_state, end);
}

TEST_WITH(the_file_itself_is_right, scratch_make, scratch_remove)
{
    (void)state;
    struct content text;
    begin(&text);
    const char *brace = strstr(text.bytes, "{base64: AAAA}");
    assert_non_null(brace);
    assert_true(is_accepted(&text));
}

TEST_WITH(every_beginning_of_it, scratch_make, scratch_remove)
{
    (void)state;
    struct content text;
    size_t accepted = 0;
    begin(&text);
    for (text.size = sizeof good - 1; text.size-- != 0;)
        accepted += is_accepted(&text);
    assert_in_range(accepted, 10, sizeof good / 2);
}

TEST_WITH(bytes_that_were_changed, scratch_make, scratch_remove)
{
    (void)state;
    random_state = 1;
    size_t accepted = 0;
    for (size_t i = 0; i < MUTATIONS; i++) {
        struct content text;
        begin(&text);
        for (size_t n = 0; n <= below(3); n++)
            text.bytes[below(text.size)] = (char)below(256);
        accepted += is_accepted(&text);
    }
    assert_in_range(accepted, 1, MUTATIONS - 1);
}

TEST_WITH(pieces_that_were_moved, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const pieces[] = {"\n", "  ",      "- ",        "#",   "{", "}",
                                         "[",  "]",       "\t",        ":",   "|", "'",
                                         "\"", "expect:", "name: x\n", "&a ", "*a"};
    random_state = 2;
    size_t accepted = 0;
    for (size_t i = 0; i < MUTATIONS; i++) {
        struct content text;
        begin(&text);
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        size_t at = below(text.size), size = strlen(piece);
        memmove(text.bytes + at + size, text.bytes + at, text.size - at);
        memcpy(text.bytes + at, piece, size);
        text.size += size;
        accepted += is_accepted(&text);
    }
    assert_in_range(accepted, 1, MUTATIONS - 1);
}
