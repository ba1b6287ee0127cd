/* Tests the JSON forms of protobuf's own types, and what is written for a value that has none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/message/json.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

/* The field numbers of message Known in tests/proto/modern.proto. */
enum {
    TIMESTAMP = 1,
    DURATION = 2,
    MASK = 3,
    STRUCT = 4,
    VALUE = 5,
    LIST = 6,
    ANY = 16,
    EMPTY = 17,
    NULL_ENUM = 18,
    CHOSEN_NULL = 19,
    CHOSEN_VALUE = 20,
    VALUES = 22,
    TIMESTAMPS = 23,
    DURATIONS = 24,
    NULLS = 26,
    INT64_VALUES = 27,
};

enum { IS_NULL = 1, IS_NUMBER = 2, IS_STRING = 3, IS_BOOL = 4, IS_STRUCT = 5, IS_LIST = 6 };

static int open_known(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Known");
}

static size_t write_json(const struct decoding *decoding, struct arena *scratch, const char **json)
{
    static char room[1 << 20];
    static const struct json_style style = {.proto_names = true};
    struct output out = {.data = room, .capacity = sizeof room - 1};
    size_t used = scratch == NULL ? 0 : scratch->used;
    size_t fallbacks = message_write_json(decoding->type, decoding->message, &style, scratch, &out);
    assert_false(out.overflow);
    if (scratch != NULL)
        assert_int_equal(scratch->used, used);
    room[out.used] = '\0';
    *json = room;
    return fallbacks;
}

/*
 * Asserts that the datagram is decoded to this JSON, and that `fallbacks` of its values have no
 * JSON form.
 */
#define assert_json(decoding, expected, fallbacks)                                                 \
    assert_json_at((decoding), (expected), (fallbacks), __LINE__)
static void assert_json_at(struct decoding *decoding, const char *expected, size_t fallbacks,
                           int line)
{
    const char *json;
    assert_decoded_as(decoding, &wire, expected, line);
    size_t found = write_json(decoding, &decoding->scratch, &json);
    if (found != fallbacks)
        fail_msg("line %d: %zu values without a form, not %zu: %s", line, found, fallbacks, json);
}

/* --- Timestamp and Duration ------------------------------------------------------------------- */

static void put_time(uint32_t field, int64_t seconds, int32_t nanos)
{
    size_t time = wire_begin(&wire, field);
    wire_uint(&wire, 1, (uint64_t)seconds);
    wire_uint(&wire, 2, (uint64_t)(int64_t)nanos);
    wire_end(&wire, time);
}

TEST_WITH(timestamps_are_rfc3339_with_as_many_digits_as_needed, open_known, close_decoding)
{
    static const struct {
        int64_t seconds;
        int32_t nanos;
        const char *text;
    } times[] = {
        {0, 0, "1970-01-01T00:00:00Z"},
        {-1, 999999999, "1969-12-31T23:59:59.999999999Z"},
        {1700000000, 120000000, "2023-11-14T22:13:20.120Z"},
        {1700000000, 1000, "2023-11-14T22:13:20.000001Z"},
        {951782400, 1, "2000-02-29T00:00:00.000000001Z"},
        {-62135596800, 0, "0001-01-01T00:00:00Z"},
        {253402300799, 999999999, "9999-12-31T23:59:59.999999999Z"},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char expected[80];
        wire_clear(&wire);
        put_time(TIMESTAMP, times[i].seconds, times[i].nanos);
        snprintf(expected, sizeof expected, "{\"timestamp\":\"%s\"}", times[i].text);
        assert_json(*state, expected, 0);
    }
}

TEST_WITH(a_timestamp_out_of_range_is_its_fields_and_counted, open_known, close_decoding)
{
    wire_clear(&wire);
    put_time(TIMESTAMP, INT64_C(253402300800), 0);
    assert_json(*state, "{\"timestamp\":{\"seconds\":\"253402300800\"}}", 1);
    wire_clear(&wire);
    put_time(TIMESTAMP, INT64_C(-62135596801), 5);
    assert_json(*state, "{\"timestamp\":{\"seconds\":\"-62135596801\",\"nanos\":5}}", 1);
    wire_clear(&wire);
    put_time(TIMESTAMP, 0, -1);
    assert_json(*state, "{\"timestamp\":{\"nanos\":-1}}", 1);
    wire_clear(&wire);
    put_time(TIMESTAMPS, 0, 1000000000);
    put_time(TIMESTAMPS, 0, 0);
    put_time(TIMESTAMPS, INT64_MIN, 0);
    assert_json(*state,
                "{\"timestamps\":[{\"nanos\":1000000000},\"1970-01-01T00:00:00Z\","
                "{\"seconds\":\"-9223372036854775808\"}]}",
                2);
}

TEST_WITH(durations_are_seconds_with_as_many_digits_as_needed, open_known, close_decoding)
{
    static const struct {
        int64_t seconds;
        int32_t nanos;
        const char *text;
    } times[] = {
        {0, 0, "0s"},
        {1, 0, "1s"},
        {-1, -500000000, "-1.500s"},
        {0, -1, "-0.000000001s"},
        {0, 1000, "0.000001s"},
        {INT64_C(315576000000), 999999999, "315576000000.999999999s"},
        {INT64_C(-315576000000), -999999999, "-315576000000.999999999s"},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char expected[80];
        wire_clear(&wire);
        put_time(DURATION, times[i].seconds, times[i].nanos);
        snprintf(expected, sizeof expected, "{\"duration\":\"%s\"}", times[i].text);
        assert_json(*state, expected, 0);
    }
}

TEST_WITH(a_duration_out_of_range_or_of_two_signs_is_its_fields_and_counted, open_known,
          close_decoding)
{
    put_time(DURATION, INT64_C(315576000001), 0);
    assert_json(*state, "{\"duration\":{\"seconds\":\"315576000001\"}}", 1);
    wire_clear(&wire);
    put_time(DURATION, INT64_MIN, 0);
    assert_json(*state, "{\"duration\":{\"seconds\":\"-9223372036854775808\"}}", 1);
    wire_clear(&wire);
    put_time(DURATION, 1, -1);
    assert_json(*state, "{\"duration\":{\"seconds\":\"1\",\"nanos\":-1}}", 1);
    wire_clear(&wire);
    put_time(DURATION, -1, 1);
    assert_json(*state, "{\"duration\":{\"seconds\":\"-1\",\"nanos\":1}}", 1);
    wire_clear(&wire);
    put_time(DURATION, 0, INT32_MIN);
    assert_json(*state, "{\"duration\":{\"nanos\":-2147483648}}", 1);
}

TEST_WITH(a_map_holds_well_known_values_in_their_form, open_known, close_decoding)
{
    size_t entry = wire_begin(&wire, DURATIONS);
    wire_text(&wire, 1, "k");
    put_time(2, 3, 0);
    wire_end(&wire, entry);
    wire_bytes(&wire, NULLS, "\x0a\x01n", 3);
    assert_json(*state, "{\"durations\":{\"k\":\"3s\"},\"nulls\":{\"n\":null}}", 0);
}

/* --- FieldMask -------------------------------------------------------------------------------- */

static void put_mask(const char *first, const char *second)
{
    size_t mask = wire_begin(&wire, MASK);
    wire_text(&wire, 1, first);
    if (second != NULL)
        wire_text(&wire, 1, second);
    wire_end(&wire, mask);
}

TEST_WITH(a_field_mask_is_its_paths_in_camel_case, open_known, close_decoding)
{
    put_mask("foo_bar.baz_2x", "q"); /* no JSON form: a digit after "_" has no capital */
    assert_json(*state, "{\"mask\":{\"paths\":[\"foo_bar.baz_2x\",\"q\"]}}", 1);
    wire_clear(&wire);
    put_mask("foo_bar.baz2", "q_q");
    assert_json(*state, "{\"mask\":\"fooBar.baz2,qQ\"}", 0);
    wire_clear(&wire);
    wire_bytes(&wire, MASK, "", 0);
    assert_json(*state, "{\"mask\":\"\"}", 0);
}

TEST_WITH(a_path_that_would_not_read_back_is_counted, open_known, close_decoding)
{
    static const char *const paths[] = {"fooBar", "trailing_", "two__of_them", "a,b", "_1"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char expected[80];
        wire_clear(&wire);
        put_mask("good", paths[i]);
        snprintf(expected, sizeof expected, "{\"mask\":{\"paths\":[\"good\",\"%s\"]}}", paths[i]);
        assert_json(*state, expected, 1);
    }
}

/* --- Struct, Value, ListValue ----------------------------------------------------------------- */

TEST_WITH(a_value_is_what_it_holds, open_known, close_decoding)
{
    size_t value = wire_begin(&wire, VALUES);
    wire_uint(&wire, IS_NULL, 0);
    wire_end(&wire, value);
    value = wire_begin(&wire, VALUES);
    wire_double(&wire, IS_NUMBER, 1.5);
    wire_end(&wire, value);
    value = wire_begin(&wire, VALUES);
    wire_text(&wire, IS_STRING, "s");
    wire_end(&wire, value);
    value = wire_begin(&wire, VALUES);
    wire_uint(&wire, IS_BOOL, 0);
    wire_end(&wire, value);
    value = wire_begin(&wire, VALUES);
    wire_bytes(&wire, IS_STRUCT, "", 0);
    wire_end(&wire, value);
    value = wire_begin(&wire, VALUES);
    wire_bytes(&wire, IS_LIST, "", 0);
    wire_end(&wire, value);
    wire_bytes(&wire, VALUES, "", 0); /* an empty Value is null */
    assert_json(*state, "{\"values\":[null,1.5,\"s\",false,{},[],null]}", 0);
}

TEST_WITH(a_value_that_is_not_finite_is_its_fields_and_counted, open_known, close_decoding)
{
    static const double numbers[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    static const char *const names[] = {"Infinity", "-Infinity", "NaN"};
    for (size_t i = 0; i < 3; i++) {
        char expected[80];
        wire_clear(&wire);
        size_t value = wire_begin(&wire, VALUE);
        wire_double(&wire, IS_NUMBER, numbers[i]);
        wire_end(&wire, value);
        snprintf(expected, sizeof expected, "{\"value\":{\"number_value\":\"%s\"}}", names[i]);
        assert_json(*state, expected, 1);
    }
}

TEST_WITH(structs_and_lists_nest_in_each_other, open_known, close_decoding)
{
    size_t made = wire_begin(&wire, STRUCT);
    size_t entry = wire_begin(&wire, 1);
    wire_text(&wire, 1, "k\"");
    size_t value = wire_begin(&wire, 2);
    size_t list = wire_begin(&wire, IS_LIST);
    size_t element = wire_begin(&wire, 1);
    size_t inner = wire_begin(&wire, IS_STRUCT);
    wire_bytes(&wire, 1, "\x0a\x01x", 3); /* an entry without a value */
    wire_end(&wire, inner);
    wire_end(&wire, element);
    wire_bytes(&wire, 1, "\x20\x01", 2);
    wire_end(&wire, list);
    wire_end(&wire, value);
    wire_end(&wire, entry);
    wire_end(&wire, made);
    wire_bytes(&wire, LIST, "\x0a\x00\x0a\x02\x20\x00", 6);
    assert_json(*state, "{\"struct\":{\"k\\\"\":[{\"x\":null},true]},\"list\":[null,false]}", 0);
}

TEST_WITH(a_null_value_is_null_whatever_its_number, open_known, close_decoding)
{
    wire_uint(&wire, CHOSEN_NULL, 0);
    assert_json(*state, "{\"chosen_null\":null}", 0);
    wire_uint(&wire, NULL_ENUM, 0); /* without presence, so it is left out */
    assert_json(*state, "{\"chosen_null\":null}", 0);
    wire_uint(&wire, NULL_ENUM, 7);
    assert_json(*state, "{\"null\":null,\"chosen_null\":null}", 0);
    wire_clear(&wire);
    wire_bytes(&wire, CHOSEN_VALUE, "", 0);
    assert_json(*state, "{\"chosen_value\":null}", 0);
}

/* --- wrappers and Empty ----------------------------------------------------------------------- */

TEST_WITH(wrappers_are_the_value_that_they_wrap, open_known, close_decoding)
{
    wire_bytes(&wire, 7, "\x08\x01", 2);
    wire_bytes(&wire, 8, "\x0a\x01\xff", 3);
    wire_bytes(&wire, 9, "\x09\0\0\0\0\0\0\xf0\x3f", 9);
    wire_bytes(&wire, 10, "\x0d\0\0\xc0\x7f", 5);
    wire_bytes(&wire, 11, "\x08\x05", 2);
    wire_bytes(&wire, 12, "\x08\x05", 2);
    wire_bytes(&wire, 13, "\x0a\x01s", 3);
    wire_bytes(&wire, 14, "", 0);
    wire_bytes(&wire, 15, "", 0);
    wire_bytes(&wire, EMPTY, "", 0);
    wire_bytes(&wire, INT64_VALUES, "\x08\x01", 2);
    assert_json(*state,
                "{\"bool_value\":true,\"bytes_value\":\"/w==\",\"double_value\":1,"
                "\"float_value\":\"NaN\",\"int32_value\":5,\"int64_value\":\"5\","
                "\"string_value\":\"s\",\"uint32_value\":0,\"uint64_value\":\"0\",\"empty\":{},"
                "\"int64_values\":[\"1\"]}",
                0);
}

/* --- Any -------------------------------------------------------------------------------------- */

static size_t begin_any(uint32_t field, const char *url)
{
    size_t any = wire_begin(&wire, field);
    wire_text(&wire, 1, url);
    return any;
}

static void put_any(const char *url, const void *content, size_t size)
{
    size_t any = begin_any(ANY, url);
    wire_bytes(&wire, 2, content, size);
    wire_end(&wire, any);
}

TEST_WITH(an_any_is_its_type_and_the_fields_of_its_content, open_known, close_decoding)
{
    put_any("type.googleapis.com/sluice.modern.Modern", "\x08\x05\x2a\x01t", 5);
    assert_json(*state,
                "{\"any\":{\"@type\":\"type.googleapis.com/sluice.modern.Modern\","
                "\"maybe_number\":5,\"text\":\"t\"}}",
                0);
    wire_clear(&wire);
    wire_bytes(&wire, ANY, "", 0); /* an empty Any */
    assert_json(*state, "{\"any\":{}}", 0);
    wire_clear(&wire);
    wire_end(&wire, begin_any(ANY, "x/sluice.modern.Modern")); /* contains an empty message */
    assert_json(*state, "{\"any\":{\"@type\":\"x/sluice.modern.Modern\"}}", 0);
}

TEST_WITH(an_any_of_a_well_known_type_has_its_form_as_value, open_known, close_decoding)
{
    put_any("/google.protobuf.Timestamp", "\x08\x01", 2);
    assert_json(*state,
                "{\"any\":{\"@type\":\"/google.protobuf.Timestamp\","
                "\"value\":\"1970-01-01T00:00:01Z\"}}",
                0);
    wire_clear(&wire);
    put_any("/google.protobuf.Int64Value", "\x08\x01", 2);
    assert_json(*state, "{\"any\":{\"@type\":\"/google.protobuf.Int64Value\",\"value\":\"1\"}}", 0);
    wire_clear(&wire);
    put_any("/google.protobuf.Struct", "\x0a\x03\x0a\x01k", 5);
    assert_json(*state, "{\"any\":{\"@type\":\"/google.protobuf.Struct\",\"value\":{\"k\":null}}}",
                0);
    wire_clear(&wire);
    put_any("/google.protobuf.Empty", "", 0);
    assert_json(*state, "{\"any\":{\"@type\":\"/google.protobuf.Empty\"}}", 0);
    wire_clear(&wire);
    /* The content of this Any has an invalid value. */
    put_any("/google.protobuf.Duration", "\x10\xff\xff\xff\xff\x0f", 6);
    assert_json(*state,
                "{\"any\":{\"@type\":\"/google.protobuf.Duration\",\"value\":\"-0.000000001s\"}}",
                0);
    wire_clear(&wire);
    put_any("/google.protobuf.Timestamp", "\x10\xff\xff\xff\xff\x0f", 6);
    assert_json(*state,
                "{\"any\":{\"@type\":\"/google.protobuf.Timestamp\",\"value\":{\"nanos\":-1}}}", 1);
}

TEST_WITH(an_any_in_an_any_is_written_too, open_known, close_decoding)
{
    size_t outer = begin_any(ANY, "/google.protobuf.Any");
    size_t content = wire_begin(&wire, 2);
    wire_text(&wire, 1, "/sluice.modern.Known");
    size_t known = wire_begin(&wire, 2);
    put_time(TIMESTAMP, 0, 0);
    put_any("/sluice.modern.Modern", "\x08\x05", 2);
    wire_end(&wire, known);
    wire_end(&wire, content);
    wire_end(&wire, outer);
    assert_json(*state,
                "{\"any\":{\"@type\":\"/google.protobuf.Any\",\"value\":{"
                "\"@type\":\"/sluice.modern.Known\",\"timestamp\":\"1970-01-01T00:00:00Z\","
                "\"any\":{\"@type\":\"/sluice.modern.Modern\",\"maybe_number\":5}}}}",
                0);
}

TEST_WITH(an_any_that_has_no_json_is_base64_and_counted, open_known, close_decoding)
{
    static const struct {
        const char *url, *content, *why;
        size_t size;
    } bad[] = {
        {"/no.such.Type", "\x08\x05", "no such type", 2},
        {"", "\x08\x05", "no type", 2},
        {"a/b/", "\x08\x05", "no name of a type", 2},
        {"/sluice.modern.Modern", "\x08", "no such message", 1},
        {"/sluice.modern.Modern", "\x2a\x01\xff", "a string that is not UTF-8", 3},
        {"/sluice.legacy.Needs", "\x10\x01", "a required field is missing", 2},
    };
    static const char *const base64[] = {"CAU=", "CAU=", "CAU=", "CA==", "KgH/", "EAE="};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char expected[160];
        wire_clear(&wire);
        put_any(bad[i].url, bad[i].content, bad[i].size);
        snprintf(expected, sizeof expected, "{\"any\":{\"@type\":\"%s\",\"value\":\"%s\"}}",
                 bad[i].url, base64[i]);
        assert_json(*state, expected, 1);
    }
}

TEST_WITH(a_nul_in_the_type_of_an_any_ends_no_name, open_known, close_decoding)
{
    static const char url[] = "/google.protobuf.Empty\0and a lot more behind it";
    size_t any = wire_begin(&wire, ANY);
    wire_bytes(&wire, 1, url, sizeof url - 1);
    wire_end(&wire, any);
    assert_json(*state,
                "{\"any\":{\"@type\":\"/google.protobuf.Empty\\u0000and a lot more behind it\","
                "\"value\":\"\"}}",
                1);
}

/* At most 100 levels are written. Those outside of an Any and those inside of it count together. */
TEST_WITH(an_any_deeper_than_a_hundred_levels_is_counted, open_known, close_decoding)
{
    struct decoding *decoding = *state;
    for (size_t inside = 97; inside <= 99; inside++) {
        const char *json;
        static struct wire content;
        wire_clear(&content);
        wire_wrap(&content, 10, inside);
        wire_clear(&wire);
        put_any("/sluice.modern.Modern", content.bytes, content.size);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        /* The levels are 1 for Known, 1 for the Any, and those of the content. */
        assert_int_equal(write_json(decoding, &decoding->scratch, &json), 1 + 1 + inside > 100);
    }
}

TEST_WITH(without_scratch_an_any_is_base64_and_counted, open_known, close_decoding)
{
    struct decoding *decoding = *state;
    const char *json;
    put_any("/sluice.modern.Modern", "\x08\x05", 2);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct arena little = {.base = decoding->scratch.base, .capacity = 64};
    struct arena *scratches[] = {NULL, &little};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(write_json(decoding, scratches[i], &json), 1);
        assert_string_equal(json,
                            "{\"any\":{\"@type\":\"/sluice.modern.Modern\",\"value\":\"CAU=\"}}");
    }
}

TEST_WITH(every_value_without_a_form_is_counted, open_known, close_decoding)
{
    put_time(TIMESTAMP, 0, -1);
    put_time(DURATION, 1, -1);
    put_mask("A", NULL);
    put_any("/no.such.Type", "", 0);
    assert_json(
        *state,
        "{\"timestamp\":{\"nanos\":-1},\"duration\":{\"seconds\":\"1\",\"nanos\":-1},"
        "\"mask\":{\"paths\":[\"A\"]},\"any\":{\"@type\":\"/no.such.Type\",\"value\":\"\"}}",
        4);
}
