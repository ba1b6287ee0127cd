#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"
#include "tests/support/test.h"

#define OUTPUT(name)                                                                               \
    char name##_memory[1024];                                                                      \
    struct output name = {.data = name##_memory, .capacity = sizeof name##_memory}

static void assert_written(const struct output *out, const char *expected)
{
    assert_false(out->overflow);
    if (out->used != strlen(expected) || memcmp(out->data, expected, out->used) != 0)
        fail_msg("wrote %.*s, not %s", (int)out->used, out->data, expected);
}

static void assert_string_becomes(const void *bytes, size_t size, const char *expected)
{
    OUTPUT(out);
    json_string(&out, bytes, size);
    assert_written(&out, expected);
}

#define assert_literal_becomes(literal, expected)                                                  \
    assert_string_becomes((literal), sizeof(literal) - 1, "\"" expected "\"")

/* --- structure -------------------------------------------------------------------------------- */

TEST(commas_separate_values_and_members_only)
{
    OUTPUT(out);
    json_object_begin(&out);
    json_key_literal(&out, "empty");
    json_object_begin(&out);
    json_object_end(&out);
    json_key(&out, "list", 4);
    json_array_begin(&out);
    json_int64(&out, 1);
    json_string(&out, "two", 3);
    json_bool(&out, true);
    json_bool(&out, false);
    json_array_begin(&out);
    json_array_end(&out);
    json_array_begin(&out);
    json_double(&out, 0.5);
    json_array_end(&out);
    json_object_begin(&out);
    json_key_literal(&out, "deep");
    json_uint64(&out, 2);
    json_object_end(&out);
    json_array_end(&out);
    json_key_literal(&out, "last");
    json_float(&out, 0.1f);
    json_object_end(&out);
    assert_written(&out, "{\"empty\":{},\"list\":[1,\"two\",true,false,[],[0.5],{\"deep\":2}],"
                         "\"last\":0.1}");
}

TEST(every_kind_of_value_is_separated_from_the_one_before)
{
    OUTPUT(out);
    json_array_begin(&out);
    json_int64(&out, -1);
    json_int64(&out, -1);
    json_uint64(&out, 1);
    json_int64_string(&out, -2);
    json_uint64_string(&out, 2);
    json_double(&out, 1.5);
    json_double(&out, (double)NAN);
    json_float(&out, 2.5f);
    json_float(&out, INFINITY);
    json_time(&out, 0);
    json_bool(&out, true);
    json_null(&out);
    json_string(&out, "", 0);
    json_base64(&out, "", 0);
    json_base64(&out, "\xff\xef", 2);
    json_object_begin(&out);
    json_object_end(&out);
    json_array_begin(&out);
    json_array_end(&out);
    json_array_end(&out);
    assert_written(&out, "[-1,-1,1,\"-2\",\"2\",1.5,\"NaN\",2.5,\"Infinity\","
                         "\"1970-01-01T00:00:00.000000000Z\",true,null,\"\",\"\",\"/+8=\",{},[]]");
}

TEST(a_new_line_begins_without_a_comma)
{
    OUTPUT(out);
    json_object_begin(&out);
    json_object_end(&out);
    output_char(&out, '\n');
    json_object_begin(&out);
    json_object_end(&out);
    assert_written(&out, "{}\n{}");
}

TEST(a_string_that_ends_like_structure_is_still_a_value)
{
    OUTPUT(out);
    json_array_begin(&out);
    json_string(&out, "[", 1);
    json_string(&out, "{", 1);
    json_string(&out, ":", 1);
    json_string(&out, "\n", 1);
    json_string(&out, ",", 1);
    json_array_end(&out);
    assert_written(&out, "[\"[\",\"{\",\":\",\"\\n\",\",\"]");
}

/* --- strings ---------------------------------------------------------------------------------- */

#define FFFD "\xef\xbf\xbd"

TEST(control_characters_are_escaped_in_their_short_form_if_any)
{
    for (int c = 0; c <= 0x7f; c++) {
        char byte = (char)c;
        char expected[16];
        if (c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t')
            snprintf(expected, sizeof expected, "\"\\%c\"", "btn?fr"[c - 8]);
        else if (c < 0x20 || c == 0x7f)
            snprintf(expected, sizeof expected, "\"\\u%04x\"", (unsigned)c);
        else if (c == '"' || c == '\\')
            snprintf(expected, sizeof expected, "\"\\%c\"", c);
        else
            snprintf(expected, sizeof expected, "\"%c\"", c);
        assert_string_becomes(&byte, 1, expected);
    }
}

TEST(control_characters_beyond_ascii_are_escaped_too)
{
    for (int c = 0x80; c < 0xa0; c++) {
        const char text[] = {'a', '\xc2', (char)c, 'z'};
        char expected[16];
        snprintf(expected, sizeof expected, "\"a\\u%04xz\"", (unsigned)c);
        assert_string_becomes(text, sizeof text, expected);
    }
    assert_literal_becomes("\xc2\xa0\xc2\x9b\xc3\x9b", "\xc2\xa0\\u009b\xc3\x9b");
    assert_literal_becomes("\xc2", FFFD);
    assert_literal_becomes("\x9b", FFFD);
}

TEST(an_escape_is_found_at_any_position)
{
    static const char special[] = {'"', '\\', '\0', '\x1f', '\x7f', '\x80', '\xff', '\n'};
    static const char *const escaped[] = {
        "\\\"", "\\\\", "\\u0000", "\\u001f", "\\u007f", "\xef\xbf\xbd", "\xef\xbf\xbd", "\\n",
    };
    static const char plain[] = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";
    for (size_t size = 1; size < sizeof plain; size++) {
        for (size_t at = 0; at < size; at++) {
            for (size_t kind = 0; kind < sizeof special; kind++) {
                /* A block of the exact size, so that a sanitizer detects a read past its end. */
                char *text = malloc(size);
                assert_non_null(text);
                memset(text, '~', size);
                text[at] = special[kind];
                char expected[128];
                snprintf(expected, sizeof expected, "\"%.*s%s%.*s\"", (int)at, plain, escaped[kind],
                         (int)(size - at - 1), plain);
                assert_string_becomes(text, size, expected);
                free(text);
            }
        }
    }
}

TEST(utf8_is_copied_as_it_is)
{
    assert_literal_becomes("", "");
    assert_literal_becomes("caf\xc3\xa9", "caf\xc3\xa9");
    assert_literal_becomes("\xe2\x82\xac\xf0\x9f\x98\x80 \xe6\x97\xa5\xe6\x9c\xac!",
                           "\xe2\x82\xac\xf0\x9f\x98\x80 \xe6\x97\xa5\xe6\x9c\xac!");
    assert_literal_becomes("\xef\xbf\xbd\xef\xbf\xbf\xf4\x8f\xbf\xbf",
                           "\xef\xbf\xbd\xef\xbf\xbf\xf4\x8f\xbf\xbf");
    assert_literal_becomes("\xc2\xa0\xe2\x80\xa8", "\xc2\xa0\xe2\x80\xa8");
}

TEST(each_maximal_ill_formed_part_becomes_one_replacement)
{
    assert_literal_becomes("a\x80z", "a" FFFD "z");
    assert_literal_becomes("\xc0\xaf", FFFD FFFD);                   /* overlong */
    assert_literal_becomes("\xe0\x80\xaf", FFFD FFFD FFFD);          /* overlong */
    assert_literal_becomes("\xf0\x80\x80\xaf", FFFD FFFD FFFD FFFD); /* overlong */
    assert_literal_becomes("\xed\xa0\x80", FFFD FFFD FFFD);          /* a surrogate */
    assert_literal_becomes("\xf4\x90\x80\x80", FFFD FFFD FFFD FFFD); /* above U+10FFFF */
    assert_literal_becomes("\xf8\x88\x80\x80\x80", FFFD FFFD FFFD FFFD FFFD);
    assert_literal_becomes("x\xc3", "x" FFFD); /* cut at the end */
    assert_literal_becomes("x\xe2\x82", "x" FFFD);
    assert_literal_becomes("x\xf0\x9f\x98", "x" FFFD);
    assert_literal_becomes("\xe2\x82\"", FFFD "\\\""); /* ended by a quote */
    /* The sequence is cut short by another character. */
    assert_literal_becomes("\xf0\x9f\x98\xc3\xa9", FFFD "\xc3\xa9");
    /* The example of table 3-11 in the standard of Unicode 15. */
    assert_literal_becomes("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A");
}

TEST(keys_are_escaped_like_strings)
{
    OUTPUT(out);
    json_object_begin(&out);
    json_key(&out, "a\"\xff", 3);
    json_int64(&out, 1);
    json_key(&out, "", 0);
    json_int64(&out, 2);
    json_object_end(&out);
    assert_written(&out, "{\"a\\\"" FFFD "\":1,\"\":2}");
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST(integers_are_written_whole)
{
    OUTPUT(out);
    json_array_begin(&out);
    json_int64(&out, INT64_MIN);
    json_int64(&out, INT64_MAX);
    json_int64(&out, 0);
    json_uint64(&out, UINT64_MAX);
    json_uint64(&out, 0);
    json_int64_string(&out, INT64_MIN);
    json_int64_string(&out, INT64_MAX);
    json_uint64_string(&out, UINT64_MAX);
    json_uint64_string(&out, 0);
    json_array_end(&out);
    assert_written(&out, "[-9223372036854775808,9223372036854775807,0,18446744073709551615,0,"
                         "\"-9223372036854775808\",\"9223372036854775807\","
                         "\"18446744073709551615\",\"0\"]");
}

TEST(integers_of_every_length_are_as_printf_has_them)
{
    uint64_t power = 1;
    for (int digits = 1; digits <= 20; digits++) {
        uint64_t given[] = {power - 1, power, power + 1, power / 7 * 9, power * 3 / 2 + 90};
        for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
            char expected[32];
            OUTPUT(out);
            snprintf(expected, sizeof expected, "%llu", (unsigned long long)given[i]);
            json_uint64(&out, given[i]);
            assert_written(&out, expected);
        }
        power *= 10;
    }
}

TEST(numbers_that_json_lacks_are_strings)
{
    OUTPUT(out);
    json_array_begin(&out);
    json_double(&out, (double)NAN);
    json_double(&out, (double)INFINITY);
    json_double(&out, -(double)INFINITY);
    json_float(&out, -NAN);
    json_float(&out, INFINITY);
    json_float(&out, -INFINITY);
    json_array_end(&out);
    assert_written(&out, "[\"NaN\",\"Infinity\",\"-Infinity\",\"NaN\",\"Infinity\",\"-Infinity\"]");
}

TEST(floating_point_numbers_are_the_shortest_of_their_width)
{
    OUTPUT(out);
    json_array_begin(&out);
    json_double(&out, 0.1);
    json_float(&out, 0.1f);
    json_double(&out, (double)(float)0.1f);
    json_double(&out, -0.0);
    json_double(&out, -DBL_MAX);
    json_double(&out, -1.2345678901234568e-300);
    json_array_end(&out);
    assert_written(&out, "[0.1,0.1,0.10000000149011612,-0.0,-1.7976931348623157e+308,"
                         "-1.2345678901234568e-300]");
}

/* --- times ------------------------------------------------------------------------------------ */

static void assert_time(int64_t seconds, int64_t nanoseconds, const char *expected)
{
    OUTPUT(out);
    json_time(&out, seconds * 1000000000 + nanoseconds);
    assert_written(&out, expected);
}

TEST(times_are_rfc_3339_with_nanoseconds)
{
    assert_time(0, 0, "\"1970-01-01T00:00:00.000000000Z\"");
    assert_time(0, 1, "\"1970-01-01T00:00:00.000000001Z\"");
    assert_time(1234567890, 123456789, "\"2009-02-13T23:31:30.123456789Z\"");
    assert_time(1700000000, 999999999, "\"2023-11-14T22:13:20.999999999Z\"");
}

TEST(times_before_1970_count_downwards)
{
    assert_time(0, -1, "\"1969-12-31T23:59:59.999999999Z\"");
    assert_time(-1, 0, "\"1969-12-31T23:59:59.000000000Z\"");
    assert_time(-86400, -1, "\"1969-12-30T23:59:59.999999999Z\"");
    assert_time(-2208988800, 0, "\"1900-01-01T00:00:00.000000000Z\"");
}

TEST(leap_days_are_where_the_calendar_has_them)
{
    assert_time(951782400, 0, "\"2000-02-29T00:00:00.000000000Z\"");
    assert_time(951868800, 0, "\"2000-03-01T00:00:00.000000000Z\"");
    assert_time(1709164800, 0, "\"2024-02-29T00:00:00.000000000Z\"");
    assert_time(1735603200, 0, "\"2024-12-31T00:00:00.000000000Z\"");
    assert_time(4107456000, 0, "\"2100-02-28T00:00:00.000000000Z\"");
    assert_time(4107542400, 0, "\"2100-03-01T00:00:00.000000000Z\"");
    assert_time(-2203977600, 0, "\"1900-02-28T00:00:00.000000000Z\"");
    assert_time(-2203891200, 0, "\"1900-03-01T00:00:00.000000000Z\"");
}

TEST(times_reach_as_far_as_an_int64)
{
    assert_time(0, INT64_MIN, "\"1677-09-21T00:12:43.145224192Z\"");
    assert_time(0, INT64_MAX, "\"2262-04-11T23:47:16.854775807Z\"");
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

TEST(every_day_follows_the_one_before)
{
    int year = 1678, month = 1, day = 1;
    for (int64_t days = -106650; days < 106751; days++) {
        char expected[64];
        snprintf(expected, sizeof expected, "\"%04d-%02d-%02dT23:59:59.999999999Z\"", year, month,
                 day);
        assert_time(days * 86400 + 86399, 999999999, expected);
        if (++day > days_in_month(year, month)) {
            day = 1;
            month++;
        }
        if (month > 12) {
            month = 1;
            year++;
        }
    }
    assert_int_equal(year, 2262);
}

/* --- outputs that are too small --------------------------------------------------------------- */

static void write_some_of_everything(struct output *out)
{
    json_object_begin(out);
    json_key(out, "k\x01y", 3);
    json_array_begin(out);
    json_int64(out, INT64_MIN);
    json_uint64(out, 7);
    json_int64_string(out, -12);
    json_uint64_string(out, UINT64_MAX);
    json_string(out, "plain", 5);
    json_string(out,
                "a\"b\\c\nd\x7f"
                "e\xff"
                "f\xc3\xa9"
                "12345678\tx",
                24);
    json_bool(out, true);
    json_bool(out, false);
    json_double(out, -1.5e-7);
    json_double(out, (double)NAN);
    json_float(out, 0.1f);
    json_time(out, 1700000000123456789);
    json_array_end(out);
    json_key_literal(out, "z");
    json_object_begin(out);
    json_object_end(out);
    json_object_end(out);
}

TEST(values_that_do_not_fit_are_left_out_and_flagged)
{
    OUTPUT(whole);
    write_some_of_everything(&whole);
    assert_false(whole.overflow);
    for (size_t capacity = 0; capacity <= whole.used + 1; capacity++) {
        enum { GUARD = 64 };
        char *memory = malloc(capacity + GUARD);
        assert_non_null(memory);
        memset(memory, '#', capacity + GUARD);
        struct output out = {.data = memory, .capacity = capacity};
        write_some_of_everything(&out);
        assert_int_equal(out.overflow, capacity < whole.used);
        assert_in_range(out.used, 0, capacity);
        assert_memory_equal(memory, whole.data, out.used);
        for (size_t i = out.used; i < capacity + GUARD; i++)
            assert_int_equal(memory[i], '#');
        free(memory);
    }
}

/* json_string must not compute NULL + 0, which C does not allow and clang's sanitizer reports. */
TEST(an_empty_string_without_data_is_written_however_little_room_there_is)
{
    char text[3] = "";
    for (size_t capacity = 0; capacity <= sizeof text; capacity++) {
        struct output out = {.data = text, .capacity = capacity};
        json_string(&out, NULL, 0);
        assert_int_equal(out.overflow, capacity < 2);
    }
    assert_memory_equal(text, "\"\"", 2);
}

TEST(an_output_without_memory_overflows)
{
    struct output out = {.data = NULL, .capacity = 0};
    write_some_of_everything(&out);
    assert_true(out.overflow);
    assert_int_equal(out.used, 0);
}
