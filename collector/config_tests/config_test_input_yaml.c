/* Reads the inputs of a test (collector/config_tests/config_test_parts.h). */
#include <stdlib.h>

#include "collector/config/metrics_address.h"
#include "collector/config_tests/config_test_parts.h"
#include "collector/text/utc_time.h"

static bool take_input(struct file_reading *reading, const struct config_test_key *key,
                       struct config_test_input *input, enum config_test_input_kind kind)
{
    if (input->kind != CONFIG_TEST_INPUT_NONE)
        return file_refuse(reading, reading->piece.mark,
                           "%s: an input has exactly one of json, hex, base64 and capture",
                           key->name);
    input->kind = kind;
    return config_test_read_text(reading, key, &input->text);
}

static bool take_source(struct file_reading *reading, const struct config_test_key *key,
                        struct config_test_input *input)
{
    struct config_test_text text = {.data = NULL};
    struct parse_error fault;
    bool good = config_test_read_word(reading, key, &text) &&
                (metrics_address_parse("source", text.data, text.size, &input->source, &fault) ||
                 file_parse_error(reading, text.mark, &fault));
    free(text.data);
    return good;
}

static bool take_time(struct file_reading *reading, const struct config_test_key *key,
                      struct config_test_input *input)
{
    struct config_test_text text = {.data = NULL};
    bool good =
        config_test_read_word(reading, key, &text) &&
        (utc_time_parse(text.data, &input->time_ns) ||
         file_refuse(reading, text.mark, "time must be written like 2026-11-21T06:43:36.38Z"));
    free(text.data);
    return good;
}

static bool take_input_value(struct file_reading *reading, const struct config_test_key *key,
                             struct config_test_input *input)
{
    switch (key->id) {
    case CONFIG_TEST_KEY_JSON:
        return take_input(reading, key, input, CONFIG_TEST_INPUT_JSON);
    case CONFIG_TEST_KEY_HEX:
        return take_input(reading, key, input, CONFIG_TEST_INPUT_HEX);
    case CONFIG_TEST_KEY_BASE64:
        return take_input(reading, key, input, CONFIG_TEST_INPUT_BASE64);
    case CONFIG_TEST_KEY_CAPTURE:
        return take_input(reading, key, input, CONFIG_TEST_INPUT_CAPTURE);
    case CONFIG_TEST_KEY_SCHEMA:
        return config_test_read_word(reading, key, &input->schema);
    case CONFIG_TEST_KEY_SOURCE:
        return take_source(reading, key, input);
    default:
        return take_time(reading, key, input);
    }
}

static bool check_input(const struct file_reading *reading, const struct config_test_input *input,
                        const struct config_test_given *given)
{
    if (input->kind == CONFIG_TEST_INPUT_NONE)
        return file_refuse(reading, input->mark,
                           "an input has exactly one of json, hex, base64 and capture");
    if (input->kind != CONFIG_TEST_INPUT_JSON && input->schema.data != NULL)
        return file_refuse(reading, input->schema.mark, "schema is only for json");
    if (input->kind == CONFIG_TEST_INPUT_CAPTURE &&
        (given->lines[CONFIG_TEST_KEY_SOURCE] != 0 || given->lines[CONFIG_TEST_KEY_TIME] != 0))
        return file_refuse(reading, input->mark,
                           "source and time are not for a capture, which has its own");
    return true;
}

static bool read_input(struct file_reading *reading, const struct config_test_key *key,
                       struct config_test *test)
{
    static const uint8_t documentation[4] = {192, 0, 2, 1};
    struct config_test_given given = {.lines = {0}};
    if (reading->piece.kind != PIECE_MAP)
        return file_wrong_kind(reading, key->name, "a map with json, hex, base64 or capture");
    struct config_test_input *input =
        config_test_add_element(reading, &test->inputs, &test->input_count, sizeof *input);
    if (input == NULL)
        return false;
    input->mark = reading->piece.mark;
    input->source = address_from_ipv4(documentation, 40000);
    input->time_ns = CONFIG_TEST_TIME_NS;
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_MAP_END)
            return check_input(reading, input, &given);
        const struct config_test_key *of =
            config_test_read_key(reading, CONFIG_TEST_OF_INPUT, &given);
        if (of == NULL || !file_next(reading) || !take_input_value(reading, of, input))
            return false;
    }
    return false;
}

bool config_test_read_inputs(struct file_reading *reading, const struct config_test_key *key,
                             struct config_test *test)
{
    if (reading->piece.kind != PIECE_LIST)
        return read_input(reading, key, test);
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_LIST_END)
            return test->input_count != 0 || file_refuse(reading, test->mark, "input is empty");
        if (!read_input(reading, key, test))
            return false;
    }
    return false;
}
