#include "collector/config_tests/config_test_check.h"

#include <string.h>

#include "collector/contract/destination.h"
#include "tests/support/test.h"

#define SINKS 2

static char path[] = "t.yaml";
static char stdout_name[] = "stdout:", file_name[] = "file:x";
static const struct destination_ops destination = {.scheme = "stdout"};
static struct sink_config sinks[SINKS] = {{.name = stdout_name, .destination = &destination},
                                          {.name = file_name, .destination = &destination}};
static const struct config config = {.sinks = sinks, .sink_count = SINKS};
static const struct config_test_file file = {.path = path, .config = path};

static struct config_test_sink_outcome wrote(char *name, char *lines)
{
    return (struct config_test_sink_outcome){.name = name,
                                             .lines = {.data = lines, .used = strlen(lines)}};
}

static struct config_test_text text_of(char *text)
{
    return (struct config_test_text){text, text == NULL ? 0 : strlen(text), {7, 9}};
}

static void expect(enum config_test_form form, char *const *wanted, size_t count, char *came,
                   const char *differences)
{
    struct config_test_text lines[4];
    struct config_test_sink_outcome outcomes[SINKS] = {wrote(stdout_name, came),
                                                       wrote(file_name, came)};
    char name[] = "stdout";
    struct config_test_expectation one = {
        .sink = text_of(name), .form = form, .lines = lines, .line_count = count, .count = 1};
    const struct config_test test = {.expectations = &one, .expectation_count = 1};
    const struct config_test_outcome outcome = {.sinks = outcomes, .sink_count = SINKS};
    struct growing_text found = {.data = NULL};
    struct error error;
    for (size_t i = 0; i < count; i++)
        lines[i] = text_of(wanted[i]);
    assert_int_equal(config_test_check(&file, &test, &config, &outcome, &found, &error), 0);
    growing_text_put(&found, "", 1);
    assert_string_equal(found.data, differences);
    growing_text_free(&found);
}

TEST(lines_are_the_same_byte_for_byte)
{
    char a[] = "a", b[] = "b", none[] = "";
    char both[] = "a\nb\n", not_ended[] = "a\nb", star[] = "*", empty[] = "\n", nothing[] = "";
    char *const ab[] = {a, b}, *const stars[] = {star, star}, *const one_empty[] = {none};
    expect(CONFIG_TEST_FORM_LINES, ab, 2, both, "");
    expect(CONFIG_TEST_FORM_LINES, ab, 2, not_ended, "");
    expect(CONFIG_TEST_FORM_LINES, NULL, 0, nothing, "");
    expect(CONFIG_TEST_FORM_LINES, one_empty, 1, empty, "");
    expect(CONFIG_TEST_FORM_LIKE, stars, 2, both, "");
    expect(CONFIG_TEST_FORM_LINES, stars, 2, both,
           "  stdout:, from line 1:\n    - *\n    - *\n    + a\n    + b\n");
}

TEST(what_differs_is_between_what_is_the_same)
{
    char a[] = "a", x[] = "x", c[] = "c";
    char abc[] = "a\nb\nc\n", ac[] = "a\nc\n", aaa[] = "a\na\na\n", nothing[] = "";
    char *const axc[] = {a, x, c}, *const aa[] = {a, a};
    expect(CONFIG_TEST_FORM_LINES, axc, 3, abc, "  stdout:, from line 2:\n    - x\n    + b\n");
    expect(CONFIG_TEST_FORM_LINES, axc, 3, ac, "  stdout:, from line 2:\n    - x\n");
    expect(CONFIG_TEST_FORM_LINES, aa, 2, aaa, "  stdout:, from line 3:\n    + a\n");
    expect(CONFIG_TEST_FORM_LINES, aa, 2, nothing, "  stdout:, from line 1:\n    - a\n    - a\n");
}

static void check_refused(char *reason, uint64_t count, enum datagram_reason came,
                          const char *differences)
{
    struct config_test_expectation one = {.refused = text_of(reason), .count = count};
    const struct config_test test = {.expectations = &one, .expectation_count = reason != NULL};
    struct config_test_outcome outcome = {.sinks = NULL};
    struct growing_text found = {.data = NULL};
    struct error error;
    outcome.refused[came] = 2;
    assert_int_equal(config_test_check(&file, &test, &config, &outcome, &found, &error), 0);
    growing_text_put(&found, "", 1);
    assert_string_equal(found.data, differences);
    growing_text_free(&found);
}

TEST(every_refused_datagram_is_expected_or_a_difference)
{
    char malformed[] = "malformed", control[] = "control";
    check_refused(malformed, 2, REASON_MALFORMED, "");
    check_refused(malformed, 1, REASON_MALFORMED,
                  "  datagrams refused:\n    - malformed 1\n    + malformed 2\n");
    check_refused(NULL, 0, REASON_EMPTY, "  datagrams refused:\n    + empty 2\n");
    check_refused(malformed, 1, REASON_EMPTY,
                  "  datagrams refused:\n    + empty 2\n    - malformed 1\n");
    check_refused(NULL, 0, REASON_CONTROL, "");
    check_refused(control, 1, REASON_CONTROL,
                  "  datagrams refused:\n    - control 1\n    + control 2\n");
}

TEST(what_the_configuration_has_not_is_refused_with_its_place)
{
    char sink[] = "fil:x";
    struct config_test_expectation one = {.sink = text_of(sink), .form = CONFIG_TEST_FORM_LINES};
    struct error error;
    assert_int_equal(config_test_find_sink(&file, &config, &one, &error), -1);
    assert_string_equal(error.text,
                        "t.yaml:7:9: \"fil:x\" is not a sink of t.yaml; did you mean \"file:x\"?");
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    one.sink.data = NULL;
    one.mark = (struct provenance_mark){3, 4};
    assert_int_equal(config_test_find_sink(&file, &config, &one, &error), -1);
    assert_string_equal(error.text,
                        "t.yaml:3:4: \"sink\" is missing: the configuration has several sinks");
}

TEST(a_command_is_found_by_its_program_or_by_its_line)
{
    static char name[] = "command:cat", url[] = "command:exec cat?format=csv", line[] = "exec cat";
    static const struct destination_ops ops = {.scheme = "command", .place_is = PLACE_COMMAND};
    struct sink_config commands[] = {sinks[0],
                                     {.name = name, .url = url, .path = line, .destination = &ops}};
    const struct config with_command = {.sinks = commands, .sink_count = 2};
    char by_program[] = "command:cat", by_line[] = "command:exec cat";
    char *const wrong[] = {(char[]){"command:"}, (char[]){"command:exec"}, (char[]){"exec cat"}};
    struct config_test_expectation one = {.sink = text_of(by_program)};
    struct error error;
    assert_int_equal(config_test_find_sink(&file, &with_command, &one, &error), 1);
    one.sink = text_of(by_line);
    assert_int_equal(config_test_find_sink(&file, &with_command, &one, &error), 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        one.sink = text_of(wrong[i]);
        assert_int_equal(config_test_find_sink(&file, &with_command, &one, &error), -1);
    }
}
