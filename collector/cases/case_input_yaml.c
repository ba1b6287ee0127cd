/* collector/cases/case_file.h: what comes to a listener. */
#include <stdlib.h>

#include "collector/cases/case_parts.h"
#include "collector/cases/case_time.h"
#include "collector/config/metrics_address.h"

static bool take_input(struct file_reading *reading, const struct case_key *key,
                       struct case_input *input, enum case_input_kind kind)
{
    if (input->kind != CASE_INPUT_NONE)
        return file_refuse(reading, reading->piece.mark,
                           "%s: an input is one of json, hex, base64 and capture", key->name);
    input->kind = kind;
    return case_take_text(reading, key, &input->text);
}

static bool take_source(struct file_reading *reading, const struct case_key *key,
                        struct case_input *input)
{
    struct case_text text = {.data = NULL};
    struct parse_error fault;
    bool good = case_take_word(reading, key, &text) &&
                (metrics_address_parse("source", text.data, text.size, &input->source, &fault) ||
                 file_parse_error(reading, text.mark, &fault));
    free(text.data);
    return good;
}

static bool take_time(struct file_reading *reading, const struct case_key *key,
                      struct case_input *input)
{
    struct case_text text = {.data = NULL};
    bool good = case_take_word(reading, key, &text) &&
                (case_time_parse(text.data, &input->time_ns) ||
                 file_refuse(reading, text.mark, "time is written 2026-11-21T06:43:36.38Z"));
    free(text.data);
    return good;
}

static bool take_input_value(struct file_reading *reading, const struct case_key *key,
                             struct case_input *input)
{
    switch (key->id) {
    case CASE_KEY_JSON:
        return take_input(reading, key, input, CASE_INPUT_JSON);
    case CASE_KEY_HEX:
        return take_input(reading, key, input, CASE_INPUT_HEX);
    case CASE_KEY_BASE64:
        return take_input(reading, key, input, CASE_INPUT_BASE64);
    case CASE_KEY_CAPTURE:
        return take_input(reading, key, input, CASE_INPUT_CAPTURE);
    case CASE_KEY_SCHEMA:
        return case_take_word(reading, key, &input->schema);
    case CASE_KEY_SOURCE:
        return take_source(reading, key, input);
    default:
        return take_time(reading, key, input);
    }
}

static bool check_input(const struct file_reading *reading, const struct case_input *input,
                        const struct case_given *given)
{
    if (input->kind == CASE_INPUT_NONE)
        return file_refuse(reading, input->mark,
                           "an input is one of json, hex, base64 and capture");
    if (input->kind != CASE_INPUT_JSON && input->schema.data != NULL)
        return file_refuse(reading, input->schema.mark, "schema is for json alone");
    if (input->kind == CASE_INPUT_CAPTURE &&
        (given->lines[CASE_KEY_SOURCE] != 0 || given->lines[CASE_KEY_TIME] != 0))
        return file_refuse(reading, input->mark, "a capture has sources and times of its own");
    return true;
}

/* The last piece begins its map. */
static bool read_input(struct file_reading *reading, const struct case_key *key,
                       struct test_case *test)
{
    static const uint8_t documentation[4] = {192, 0, 2, 1};
    struct case_given given = {.lines = {0}};
    if (reading->piece.kind != PIECE_MAP)
        return file_wrong_kind(reading, key->name, "a map with json, hex, base64 or capture");
    struct case_input *input =
        case_add_element(reading, &test->inputs, &test->input_count, sizeof *input);
    if (input == NULL)
        return false;
    input->mark = reading->piece.mark;
    input->source = address_from_ipv4(documentation, 40000);
    input->time_ns = CASE_TIME_NS;
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_MAP_END)
            return check_input(reading, input, &given);
        const struct case_key *of = case_take_key(reading, CASE_OF_INPUT, &given);
        if (of == NULL || !file_next(reading) || !take_input_value(reading, of, input))
            return false;
    }
    return false;
}

bool case_read_inputs(struct file_reading *reading, const struct case_key *key,
                      struct test_case *test)
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
