/* Tests reading JSON item by item: contents, errors, and no read past the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_reader.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static char items[1024]; /* the items of the last text */
static const char *wrong;
static size_t wrong_at;

static void note(const struct json_item *item)
{
    static const char *const types[] = {"null",   "false", "true", "number",
                                        "string", "[",     "{",    "end"};
    char name[64] = "", text[64] = "";
    if (item->name.data != NULL)
        json_text_copy(item->name, name, sizeof name);
    json_text_copy(item->text, text, sizeof text);
    size_t used = strlen(items);
    snprintf(items + used, sizeof items - used, "%zu %s%s%s%s%s\n", item->depth, name,
             item->name.data != NULL ? ": " : "", types[item->type], text[0] != '\0' ? " " : "",
             text);
}

/* Reads the text from a block of its exact size, so that a sanitizer detects a read past it. */
static void read_bytes(const char *text, size_t size)
{
    struct json_reader reader;
    struct json_item item;
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    items[0] = '\0';
    json_reader_begin(&reader, copy, size);
    while (json_read(&reader, &item)) {
        assert_in_range(item.at - copy, 0, size);
        assert_true(item.depth <= JSON_MAX_DEPTH);
        note(&item);
    }
    assert_false(json_read(&reader, &item));
    wrong = reader.wrong;
    wrong_at = (size_t)(reader.at - copy);
    assert_in_range(wrong_at, 0, size);
    free(copy);
}

static void assert_items(const char *text, const char *expected)
{
    read_bytes(text, strlen(text));
    assert_null(wrong);
    assert_string_equal(items, expected);
}

static void assert_wrong(const char *text, size_t at, const char *why)
{
    read_bytes(text, strlen(text));
    assert_non_null(wrong);
    assert_string_equal(wrong, why);
    assert_int_equal(wrong_at, at);
}

TEST(items_come_in_their_order_with_name_and_depth)
{
    assert_items("{\"a\":1, \"b\" : [true,null , {\"c\":\"x\"},[]],\n\t\"d\":{}, \"\":false}\r\n",
                 "0 {\n1 a: number 1\n1 b: [\n2 true true\n2 null null\n2 {\n3 c: string x\n2 end\n"
                 "2 [\n2 end\n1 end\n1 d: {\n1 end\n1 : false false\n0 end\n");
    assert_items(" 7 ", "0 number 7\n");
    assert_items("\"\"", "0 string\n");
}

TEST(numbers_are_as_they_are_written)
{
    assert_items("[0,-0,10,-1.50,1e9,0.1E-07,2E+3,123456789012345678901234567890]",
                 "0 [\n1 number 0\n1 number -0\n1 number 10\n1 number -1.50\n1 number 1e9\n"
                 "1 number 0.1E-07\n1 number 2E+3\n1 number 123456789012345678901234567890\n"
                 "0 end\n");
    static const char *const others[] = {"-", "01", "-01", "1.", ".5", "1e", "1e+", "+1", "0x1"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        read_bytes(others[i], strlen(others[i]));
        assert_non_null(wrong);
    }
}

TEST(a_text_is_a_number_or_is_not)
{
    bool is_whole = false;
    assert_true(json_is_number("-120", 4, &is_whole));
    assert_true(is_whole);
    assert_true(json_is_number("1.5", 3, &is_whole));
    assert_false(is_whole);
    assert_true(json_is_number("1e1", 3, &is_whole));
    assert_false(is_whole);
    assert_true(json_is_number("12", 1, &is_whole));
    assert_false(json_is_number("1 ", 2, &is_whole));
    assert_false(json_is_number("1\0", 2, &is_whole));
    assert_false(json_is_number("", 0, &is_whole));
}

TEST(escapes_are_what_they_mean)
{
    assert_items("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00e4\\u20AC\\uD83D\\uDE00\"]",
                 "0 [\n1 string \"\\/\b\f\n\r\t\n1 string A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n"
                 "0 end\n");
    assert_items("{\"\\u0061\\n\":1}", "0 {\n1 a\n: number 1\n0 end\n");
}

static struct text text_of(const char *text)
{
    return (struct text){text, strlen(text)};
}

TEST(a_copy_ends_with_a_whole_character)
{
    char copy[4];
    assert_int_equal(json_text_copy(text_of("a\\u00e4b"), copy, 4), 3);
    assert_string_equal(copy, "a\xc3\xa4");
    assert_int_equal(json_text_copy(text_of("ab\\u00e4"), copy, 4), 2);
    assert_string_equal(copy, "ab");
    assert_int_equal(json_text_copy(text_of("ab\xc3\xa4"), copy, 4), 2);
    assert_string_equal(copy, "ab");
    assert_int_equal(json_text_copy(text_of("abc"), copy, 1), 0);
    assert_string_equal(copy, "");
    assert_int_equal(json_text_copy(text_of("a\\u0000b"), copy, 4), 3);
    assert_memory_equal(copy, "a\0b", 4);
    assert_int_equal(json_text_copy((struct text){NULL, 0}, copy, 4), 0);
}

TEST(a_lenient_reader_accepts_what_strings_should_not_have)
{
    static const char text[] = "\"\x1b\n\\ud83d\\u0041\\ude00\"";
    struct json_reader reader;
    struct json_item item;
    char copy[16];
    json_reader_begin(&reader, text, sizeof text - 1);
    reader.lenient = true;
    assert_true(json_read(&reader, &item));
    assert_int_equal(json_text_copy(item.text, copy, sizeof copy), 9);
    assert_string_equal(copy, "\x1b\n\xef\xbf\xbd"
                              "A\xef\xbf\xbd");
    json_reader_begin(&reader, "\"\\ud83d\\u12\"", 12);
    reader.lenient = true;
    assert_false(json_read(&reader, &item));
}

TEST(digits_at_the_begin_of_a_text_are_a_number)
{
    assert_int_equal(json_whole_number(text_of("120")), 120);
    assert_int_equal(json_whole_number(text_of("1.9")), 1);
    assert_int_equal(json_whole_number(text_of("-1")), 0);
    assert_int_equal(json_whole_number((struct text){NULL, 0}), 0);
    assert_true(json_whole_number(text_of("18446744073709551615")) == UINT64_MAX);
    assert_int_equal(json_whole_number(text_of("18446744073709551616")), 0);
}

TEST(a_name_is_compared_by_what_it_means)
{
    assert_true(json_text_is(text_of("name"), "name"));
    assert_true(json_text_is(text_of("n\\u0061me"), "name"));
    assert_true(json_text_is(text_of(""), ""));
    assert_false(json_text_is(text_of("nam"), "name"));
    assert_false(json_text_is(text_of("names"), "name"));
    assert_false(json_text_is(text_of("n\\u0061m"), "name"));
    assert_false(json_text_is(text_of("n\\u0061mes"), "name"));
    assert_false(json_text_is(text_of("\\u0000"), ""));
    assert_false(json_text_is((struct text){NULL, 0}, ""));
}

TEST(invalid_json_is_refused_with_its_position)
{
    assert_wrong("", 0, "the text ends where a value should be");
    assert_wrong(" [", 2, "the text ends where a value should be");
    assert_wrong("[1,]", 3, "this is not a value");
    assert_wrong("[,1]", 1, "this is not a value");
    assert_wrong("nul", 0, "this is not a value");
    assert_wrong("[1 2]", 3, "\",\" or \"]\" should be here");
    assert_wrong("[1}", 2, "\",\" or \"]\" should be here");
    assert_wrong("{\"a\":1 \"b\":2}", 7, "\",\" or \"}\" should be here");
    assert_wrong("{", 1, "a name in quotes, or \"}\", should be here");
    assert_wrong("{\"a\":1,}", 7, "a name in quotes, or \"}\", should be here");
    assert_wrong("{1:2}", 1, "a name in quotes, or \"}\", should be here");
    assert_wrong("{\"a\" 1}", 5, "\":\" should be here");
    assert_wrong("{} x", 3, "something follows the value's end");
    assert_wrong("1]", 1, "something follows the value's end");
    assert_wrong("01", 0, "this is not a number");
    assert_wrong("[\"a]", 1, "the string has no end");
    assert_wrong("\"\n\"", 1, "a control character in a string must be escaped");
    assert_wrong("\"\\x\"", 1, "there is no such escape");
    assert_wrong("\"\\", 1, "there is no such escape");
    assert_wrong("\"\\u12g4\"", 3, "\\u is followed by four hexadecimal digits");
    assert_wrong("\"\\u12", 3, "\\u is followed by four hexadecimal digits");
    assert_wrong("\"\\ud83d\"", 1, "half of a surrogate pair is not a character");
    assert_wrong("\"\\ud83d\\u0041\"", 1, "half of a surrogate pair is not a character");
    assert_wrong("\"\\ude00\\ud83d\"", 1, "half of a surrogate pair is not a character");
    read_bytes("1\0", 2);
    assert_string_equal(wrong, "something follows the value's end");
    read_bytes("\0", 1);
    assert_string_equal(wrong, "this is not a value");
}

TEST(nesting_is_read_up_to_the_limit)
{
    char text[2 * JSON_MAX_DEPTH + 2];
    struct json_reader reader;
    struct json_item item;
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    json_reader_begin(&reader, text, 2 * JSON_MAX_DEPTH);
    while (json_read(&reader, &item))
        continue;
    assert_null(reader.wrong);
    memset(text, '[', JSON_MAX_DEPTH + 1);
    json_reader_begin(&reader, text, JSON_MAX_DEPTH + 1);
    while (json_read(&reader, &item))
        continue;
    assert_string_equal(reader.wrong, "values nest too deep");
    assert_int_equal(reader.at - text, JSON_MAX_DEPTH);
}

TEST(truncated_json_is_invalid)
{
    static const char whole[] = "{\"a\":[1,\"\\ud83d\\ude00\",true],\"b\":{\"c\":null}}";
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        read_bytes(whole, size);
        assert_non_null(wrong);
    }
    read_bytes(whole, sizeof whole - 1);
    assert_null(wrong);
}

static bool begins(const char *text)
{
    return json_begins(text, strlen(text));
}

TEST(json_is_recognised_by_its_first_member_or_element)
{
    assert_true(begins("{\"a\":1"));
    assert_true(begins(" \r\n[ {\"a"));
    assert_true(begins("{\"name\": \"cpu\", \"value\": 1}\n{"));
    assert_true(begins("[1, \xff"));
    assert_true(begins("{}"));
    assert_false(begins(""));
    assert_false(begins("{"));
    assert_false(begins("{\"a"));
    assert_false(begins("{\"a\""));
    assert_false(begins("{a: 1}"));
    assert_false(begins("{\x08\x01"));
    assert_false(begins("[\xff"));
    assert_false(begins("12"));
    assert_false(begins("\"a\""));
}

TEST(any_bytes_are_read_or_refused)
{
    static const char letters[] = "{}[]\":,\\u0aD8c-.eE1ntrfl \n\xc3\xa4";
    uint64_t state = 5;
    for (int i = 0; i < 20000; i++) {
        char bytes[48];
        size_t size = next_below(&state, sizeof bytes + 1);
        for (size_t at = 0; at < size; at++)
            bytes[at] = letters[next_below(&state, sizeof letters)];
        read_bytes(bytes, size);
    }
}
