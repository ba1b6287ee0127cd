#include "collector/config_tests/config_test_file.h"

#include <string.h>

#include "tests/support/test.h"

static void read_text(const char *text, struct config_test_file *file)
{
    struct error error;
    *file = (struct config_test_file){.path = NULL};
    if (!config_test_file_parse("dir/t.yaml", text, strlen(text), file, &error))
        fail_msg("%s\n%s", error.text, text);
}

static void refused(const char *text, const char *why)
{
    struct config_test_file file = {.path = NULL};
    struct error error = {.text = ""};
    if (config_test_file_parse("dir/t.yaml", text, strlen(text), &file, &error))
        fail_msg("was taken: %s", text);
    config_test_file_free(&file);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
}

#define ONE "tests:\n  - name: a\n    input: {hex: 00}\n"

TEST(a_test_has_what_is_written)
{
    struct config_test_file file;
    read_text("memory: 32MiB\n"
              "tests:\n"
              "  - name: \"a b\"\n"
              "    listener: udp://127.0.0.1:5555\n"
              "    hostname: h\n"
              "    input:\n"
              "      - json: '{}'\n"
              "        schema: otlp\n"
              "        source: '[2001:db8::1]:9'\n"
              "        time: 1970-01-01T00:00:01Z\n"
              "      - capture: x.pcap\n"
              "    expect:\n"
              "      - sink: stdout\n"
              "        lines: |\n"
              "          one\n"
              "\n"
              "          two\n"
              "        reason: filtered\n"
              "        count: 3\n"
              "      - like: ['*', b]\n"
              "      - refused: malformed\n",
              &file);
    assert_int_equal(file.count, 1);
    assert_string_equal(file.config, "dir/t.yaml");
    const struct config_test *test = &file.tests[0];
    assert_string_equal(test->name.data, "a b");
    assert_string_equal(test->listener.data, "udp://127.0.0.1:5555");
    assert_string_equal(test->hostname.data, "h");
    assert_int_equal(test->input_count, 2);
    assert_int_equal(test->inputs[0].kind, CONFIG_TEST_INPUT_JSON);
    assert_int_equal(test->inputs[0].time_ns, 1000000000);
    assert_int_equal(test->inputs[0].source.port, 9);
    assert_int_equal(test->inputs[1].kind, CONFIG_TEST_INPUT_CAPTURE);
    assert_int_equal(test->inputs[1].time_ns, CONFIG_TEST_TIME_NS);
    assert_int_equal(test->expectation_count, 3);
    assert_int_equal(test->expectations[0].line_count, 3);
    assert_string_equal(test->expectations[0].lines[0].data, "one");
    assert_string_equal(test->expectations[0].lines[1].data, "");
    assert_int_equal(test->expectations[0].count, 3);
    assert_int_equal(test->expectations[1].form, CONFIG_TEST_FORM_LIKE);
    assert_int_equal(test->expectations[2].count, 1);
    config_test_file_free(&file);
}

TEST(a_file_of_tests_alone_names_its_configuration_as_it_sees_it)
{
    struct config_test_file file;
    read_text("config: ../sluice.yaml\n" ONE, &file);
    assert_string_equal(file.config, "dir/../sluice.yaml");
    config_test_file_free(&file);
    read_text("config: /etc/sluice.yaml\n" ONE, &file);
    assert_string_equal(file.config, "/etc/sluice.yaml");
    config_test_file_free(&file);
}

TEST(what_is_wrong_has_its_place_and_the_nearest_name)
{
    refused(
        "tests:\n- name: a\n  input: {hex: '00'}\n  \"x\n",
        "dir/t.yaml:5:1: not valid YAML: found unexpected end of stream while scanning a quoted "
        "scalar that begins on line 4");
    refused("", "dir/t.yaml:1:1: there are no tests in this file; write a list \"tests\"");
    refused("tests: a\n",
            "dir/t.yaml:1:8: \"tests\" must be a list (each item begins with \"- \"), not a text");
    refused("tests: [a]\n",
            "dir/t.yaml:1:9: this must be a test: a map with name and input, not a text");
    refused("tests:\n  - nme: a\n",
            "dir/t.yaml:2:5: \"nme\" is not a key of a test; did you mean \"name\"?");
    refused("tests:\n  - input: {hex: 00}\n", "dir/t.yaml:2:5: name is missing in this test");
    refused("tests:\n  - name: a\n", "dir/t.yaml:2:5: input is missing in this test");
    refused("tests:\n  - name: a\n    name: b\n",
            "dir/t.yaml:3:5: \"name\" is given twice; first on line 2");
    refused("tests:\n  - name: a\n    input: {hx: 00}\n",
            "dir/t.yaml:3:13: \"hx\" is not a key of an input; did you mean \"hex\"?");
    refused("config: c\nmemory: 1MiB\n" ONE,
            "dir/t.yaml:2:1: \"memory\" is not a key of a file of tests");
    refused("tests:\n  - name: a\n    input: {hex: 00, time: yesterday}\n",
            "dir/t.yaml:3:28: time must be written like 2026-11-21T06:43:36.38Z");
}

TEST(an_input_is_one_thing)
{
    refused("tests:\n  - name: a\n    input: {hex: 00, json: '{}'}\n",
            "dir/t.yaml:3:28: json: an input has exactly one of json, hex, base64 and capture");
    refused("tests:\n  - name: a\n    input: {source: '1.2.3.4:5'}\n",
            "dir/t.yaml:3:12: an input has exactly one of json, hex, base64 and capture");
    refused("tests:\n  - name: a\n    input: {hex: 00, schema: otlp}\n",
            "dir/t.yaml:3:30: schema is only for json");
    refused("tests:\n  - name: a\n    input: {capture: x, source: '1.2.3.4:5'}\n",
            "dir/t.yaml:3:12: source and time are not for a capture, which has its own");
    refused("tests:\n  - name: a\n    input: []\n", "dir/t.yaml:2:5: input is empty");
}

TEST(an_expectation_is_about_a_sink_or_about_datagrams)
{
    refused(ONE "    expect: [{}]\n",
            "dir/t.yaml:4:14: an expectation needs lines, like, bytes, reason or refused");
    refused(ONE "    expect: [{lines: [], like: []}]\n",
            "dir/t.yaml:4:32: like: an expectation can have only one of lines, like and bytes");
    refused(
        ONE "    expect: [{refused: empty, sink: a}]\n",
        "dir/t.yaml:4:14: refused is for datagrams; write the output of a sink as a separate item");
    refused(ONE "    expect: [{lines: [], count: 2}]\n",
            "dir/t.yaml:4:14: count requires reason or refused");
    refused(ONE "    expect: [{refused: empty, count: 0}]\n",
            "dir/t.yaml:4:38: count must be a number of at least 1");
    refused(ONE "    expect: [{lines: [[a]]}]\n",
            "dir/t.yaml:4:23: \"lines\" must be a line, not a list");
}
