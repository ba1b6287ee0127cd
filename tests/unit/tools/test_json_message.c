#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/reading/json_message.h"
#include "proto/reading/json_text.h"
#include "tests/support/test.h"

static const struct json_message_type telemetry = {.schema = "telemetry"};
static const struct json_message_type kinds = {.file = TEST_SETS "/shapes.desc",
                                               .message = "sluice.shapes.Kinds"};

static void check(const struct json_message_type *type, const char *json, const void *wanted,
                  size_t wanted_size)
{
    uint8_t *bytes;
    size_t size;
    struct error error;
    if (json_message_encode(type, json, &bytes, &size, &error) != 0)
        fail_msg("%s: %s", json, error.text);
    if (size != wanted_size || memcmp(bytes, wanted, size) != 0)
        fail_msg("%s: other bytes, %zu of them", json, size);
    free(bytes);
}

#define CHECK(type, json, wanted) check(type, json, wanted, sizeof(wanted) - 1)

static void refused(const struct json_message_type *type, const char *json, const char *why)
{
    uint8_t *bytes;
    size_t size;
    struct error error;
    if (json_message_encode(type, json, &bytes, &size, &error) == 0)
        fail_msg("%s: was taken", json);
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    assert_string_equal(error.text, why);
}

TEST(names_are_those_of_json_or_of_the_file)
{
    CHECK(&telemetry, "{}", "");
    CHECK(&telemetry, "{\"senderId\": \"a\", \"sequence\": 7}",
          "\x0a\x01"
          "a"
          "\x18\x07");
    CHECK(&telemetry, "{\"sequence\": \"7\", \"sender_id\": \"a\"}",
          "\x0a\x01"
          "a"
          "\x18\x07");
    CHECK(&telemetry, "{\"samples\":[{\"name\":\"n\",\"kind\":\"DELTA_COUNTER\",\"uintValue\":3}]}",
          "\x32\x07\x0a\x01n\x10\x02\x28\x03");
    CHECK(&telemetry, "{\"labels\": null, \"samples\": []}", "");
}

TEST(numbers_of_every_type)
{
    CHECK(&kinds, "{\"aDouble\": 1.5, \"aFloat\": \"-2\"}",
          "\x09\0\0\0\0\0\0\xf8\x3f\x15\0\0\0\xc0");
    CHECK(&kinds, "{\"anInt32\": -1}", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    CHECK(&kinds, "{\"anInt32\": 1e2, \"anInt64\": \"3.0\"}", "\x18\x64\x20\x03");
    CHECK(&kinds, "{\"aUint64\": 18446744073709551615}",
          "\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    CHECK(&kinds, "{\"aSint32\": -2, \"aSint64\": -1}", "\x38\x03\x40\x01");
    CHECK(&kinds, "{\"aFixed32\": 4294967295, \"aSfixed64\": 0}", "\x4d\xff\xff\xff\xff");
    CHECK(&kinds, "{\"aSfixed32\": -1, \"aFixed64\": 1}",
          "\x51\x01\0\0\0\0\0\0\0\x5d\xff\xff\xff\xff");
    CHECK(&kinds, "{\"aDouble\": \"Infinity\", \"aBool\": true}",
          "\x09\0\0\0\0\0\0\xf0\x7f\x68\x01");
    CHECK(&kinds, "{\"uint64s\": [1, \"300\"], \"bools\": [false, true]}",
          "\xa2\x02\x03\x01\xac\x02\xda\x02\x02\x00\x01");
    CHECK(&kinds, "{\"aColour\": \"RED\", \"colours\": [-5, \"BLUE\"]}",
          "\x80\x01\x01\xf2\x02\x14\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\xfb\xff\xff\xff\xff"
          "\xff\xff\xff\xff\x01");
}

TEST(the_largest_float_can_be_read_as_it_is_written)
{
    CHECK(&kinds, "{\"aFloat\": 3.4028235e+38}", "\x15\xff\xff\x7f\x7f");
    CHECK(&kinds, "{\"aFloat\": -3.4028235e+38}", "\x15\xff\xff\x7f\xff");
    refused(&kinds, "{\"aFloat\": 3.4028236e+38}",
            "--json: line 1, column 12: aFloat: 3.40282e+38 is out of range of a float");
}

TEST(strings_with_every_escape)
{
    CHECK(&telemetry, "{\"senderId\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\x0a\x08\"\\/\b\f\n\r\t");
    CHECK(&telemetry, "{\"senderId\": \"\\u0041\\u00e9\\u20AC\\ud83d\\ude80\"}",
          "\x0a\x0a"
          "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x80");
    CHECK(&telemetry, "{\"senderId\": \"a\\u0000b\"}",
          "\x0a\x03"
          "a\0b");
    CHECK(&telemetry, " \t\r\n{ \"sender\\u0049d\" : \"\xc3\xa9\" } ", "\x0a\x02\xc3\xa9");
}

TEST(text_that_is_no_json_is_refused_with_its_place)
{
    refused(&telemetry, "", "--json: line 1, column 1: the text ends where a value should be");
    refused(&telemetry, "{\"senderId\": \"a\",}",
            "--json: line 1, column 18: a name in quotes, or \"}\", should be here");
    refused(&telemetry, "{\"senderId\" \"a\"}", "--json: line 1, column 13: \":\" should be here");
    refused(&telemetry, "{\"labels\": [{}\n {}]}",
            "--json: line 2, column 2: \",\" or \"]\" should be here");
    refused(&telemetry, "{} {}", "--json: line 1, column 4: something follows the value's end");
    refused(&telemetry, "{\"sequence\": 01}", "--json: line 1, column 14: this is not a number");
    refused(&telemetry, "{\"sequence\": -}", "--json: line 1, column 14: this is not a number");
    refused(&telemetry, "{\"sequence\": nul}", "--json: line 1, column 14: this is not a value");
    refused(&telemetry, "{\"senderId\": \"a", "--json: line 1, column 14: the string has no end");
    refused(&telemetry, "{\"senderId\": \"\\x\"}",
            "--json: line 1, column 15: there is no such escape");
    refused(&telemetry, "{\"senderId\": \"\\u12g4\"}",
            "--json: line 1, column 17: \\u is followed by four hexadecimal digits");
    refused(&telemetry, "{\"senderId\": \"\\ud800\"}",
            "--json: line 1, column 15: half of a surrogate pair is not a character");
    refused(&telemetry, "{\"senderId\": \"\t\"}",
            "--json: line 1, column 15: a control character in a string must be escaped");
    refused(&telemetry, "\xff", "--json: line 1, column 1: the text is not UTF-8");
}

TEST(a_value_that_is_not_the_fields_is_refused_with_field_and_place)
{
    refused(&telemetry, "[]",
            "--json: line 1, column 1: a sluice.telemetry.Telemetry is an object");
    refused(&telemetry, "{\"samples\": [{\"name\": \"a\"}, {\"nam\": 1}]}",
            "--json: line 1, column 37: samples[1]: sluice.telemetry.Sample has no field \"nam\"; "
            "did you mean \"name\"?");
    refused(&telemetry, "{\"labels\": [{\"key\": 5}]}",
            "--json: line 1, column 21: labels[0].key: a number is not a string");
    refused(&telemetry, "{\"labels\": {}}",
            "--json: line 1, column 12: labels: a repeated field is an array");
    refused(&telemetry, "{\"sequence\": \"x\"}",
            "--json: line 1, column 14: sequence: a string is not an integer of 64 bits");
    refused(&telemetry, "{\"sequence\": 1.5}",
            "--json: line 1, column 14: sequence: 1.5 is not an integer of 64 bits");
    refused(&telemetry, "{\"sequence\": 18446744073709551616}",
            "--json: line 1, column 14: sequence: 18446744073709551616 is not an integer of 64 "
            "bits");
    refused(&telemetry, "{\"sequence\": -1}",
            "--json: line 1, column 14: sequence: -1 is out of range of an unsigned integer of 64 "
            "bits");
    refused(&kinds, "{\"anInt32\": 2147483648}",
            "--json: line 1, column 13: anInt32: 2147483648 is out of range of 32 bits");
    refused(&kinds, "{\"aFloat\": 1e39}",
            "--json: line 1, column 12: aFloat: 1e+39 is out of range of a float");
    refused(&kinds, "{\"aDouble\": 1e309}",
            "--json: line 1, column 13: aDouble: 1e309 is out of range of a double");
    refused(&kinds, "{\"aBool\": \"true\"}",
            "--json: line 1, column 11: aBool: a string is not a bool");
    refused(&kinds, "{\"aColour\": \"GREEN\"}",
            "--json: line 1, column 13: aColour: sluice.shapes.Colour has no value \"GREEN\"");
    refused(&telemetry, "{\"sequence\": 1, \"sequence\": 2}",
            "--json: line 1, column 29: sequence: the field is there twice");
    refused(&kinds, "{\"oneNumber\": 1, \"oneText\": \"\"}",
            "--json: line 1, column 29: oneText: \"one_number\" is of the same oneof");
}

TEST(a_required_field_that_is_missing_is_named)
{
    struct error error;
    uint8_t *bytes;
    size_t size;
    const struct json_message_type riemann = {.schema = "riemann"};
    refused(&riemann, "{\"events\": [{\"attributes\": [{\"value\": \"v\"}]}]}",
            "--json: line 1, column 29: events[0].attributes[0]: the required field \"key\" is "
            "missing");
    assert_int_equal(json_message_encode(&riemann, "{\"events\": []}", &bytes, &size, &error), 0);
    free(bytes);
}

TEST(what_the_type_is_of_is_looked_for)
{
    struct error error;
    uint8_t *bytes;
    size_t size;
    const struct json_message_type missing = {.file = TEST_SETS "/no.desc", .message = "a.B"};
    assert_int_equal(json_message_encode(&missing, "{}", &bytes, &size, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    const struct json_message_type misspelt = {.file = TEST_SETS "/shapes.desc",
                                               .message = "sluice.shapes.Kind"};
    assert_int_equal(json_message_encode(&misspelt, "{}", &bytes, &size, &error), -1);
    assert_non_null(strstr(error.text, "did you mean \"sluice.shapes.Kinds\"?"));
}

/*
 * Reads each beginning of the text, and the text with each of its bytes changed. Each must be
 * refused or give a message.
 */
TEST(hostile_text_is_refused)
{
    static const char text[] =
        "{\"senderId\":\"a\\u00e9\\ud83d\\ude80\",\"labels\":[{\"key\":\"k\",\"value\":\"v\"}],"
        "\"samples\":[{\"name\":\"n\",\"kind\":1,\"histogramValue\":{\"count\":\"3\",\"sum\":-1."
        "5e3,"
        "\"bounds\":[1,2],\"counts\":[1,\"1\",1.0]}},null,{\"doubleValue\":\"NaN\"}]}";
    uint8_t *bytes;
    size_t size;
    struct error error;
    char changed[sizeof text];
    for (size_t length = 0; length < sizeof text - 1; length++) {
        memcpy(changed, text, length);
        changed[length] = '\0';
        assert_int_equal(json_message_encode(&telemetry, changed, &bytes, &size, &error), -1);
    }
    static const char others[] = "\"\\{}[]:,0-.eE+un \x01\x7f\xc3\xff";
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (size_t with = 0; with < sizeof others - 1; with++) {
            memcpy(changed, text, sizeof text);
            changed[i] = others[with];
            struct growing_arena arena = {0};
            json_text_parse(changed, &arena, &error);
            growing_arena_free(&arena);
        }
}

TEST(values_that_nest_without_end_are_refused)
{
    char text[2 * JSON_MAX_DEPTH + 8];
    memset(text, '[', sizeof text);
    text[sizeof text - 1] = '\0';
    struct growing_arena arena = {0};
    struct error error;
    assert_null(json_text_parse(text, &arena, &error));
    assert_non_null(strstr(error.text, "nest too deep"));
    growing_arena_free(&arena);

    char deep[150 * 10 + 1] = "";
    for (size_t i = 0; i < 110; i++)
        memcpy(deep + 9 * i, "{\"child\":", 10);
    strcat(deep, "{}");
    for (size_t i = 0; i < 110; i++)
        strcat(deep, "}");
    const struct json_message_type tree = {.file = TEST_SETS "/shapes.desc",
                                           .message = "sluice.shapes.Tree"};
    uint8_t *bytes;
    size_t size;
    assert_int_equal(json_message_encode(&tree, deep, &bytes, &size, &error), -1);
    assert_non_null(strstr(error.text, "messages nest deeper than 100"));
}
