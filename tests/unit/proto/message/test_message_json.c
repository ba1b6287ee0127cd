/*
 * Tests the protobuf JSON mapping: each kind of field, both kinds of names, and strings of any
 * bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/utf8.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

static int open_kinds(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Kinds");
}

static void assert_json(struct decoding *decoding, bool proto_names, bool int64_numbers,
                        const char *expected)
{
    assert_decodes_to(decoding, &wire, DECODE_OK);
    char *json = decoding_json(decoding, proto_names, int64_numbers);
    assert_string_equal(json, expected);
    struct json_tree *tree = json_tree_read(json, strlen(json));
    assert_non_null(tree);
    json_tree_free(tree);
    free(json);
}

static void put_every_kind(void)
{
    wire_double(&wire, 1, 0.1);
    wire_float(&wire, 2, 0.1F);
    wire_uint(&wire, 3, (uint64_t)-3);
    wire_uint(&wire, 4, (uint64_t)-4);
    wire_uint(&wire, 5, UINT32_MAX);
    wire_uint(&wire, 6, UINT64_MAX);
    wire_sint(&wire, 7, -7);
    wire_sint(&wire, 8, INT64_MIN);
    wire_fixed32(&wire, 9, 9);
    wire_fixed64(&wire, 10, 10);
    wire_fixed32(&wire, 11, (uint32_t)-11);
    wire_fixed64(&wire, 12, (uint64_t)-12);
    wire_uint(&wire, 13, 1);
    wire_text(&wire, 14, "text");
    wire_uint(&wire, 16, 1);
}

TEST_WITH(every_kind_of_field_is_written_as_the_mapping_says, open_kinds, close_decoding)
{
    put_every_kind();
    assert_json(*state, false, false,
                "{\"aDouble\":0.1,\"aFloat\":0.1,\"anInt32\":-3,\"anInt64\":\"-4\","
                "\"aUint32\":4294967295,\"aUint64\":\"18446744073709551615\",\"aSint32\":-7,"
                "\"aSint64\":\"-9223372036854775808\",\"aFixed32\":9,\"aFixed64\":\"10\","
                "\"aSfixed32\":-11,\"aSfixed64\":\"-12\",\"aBool\":true,\"aString\":\"text\","
                "\"aColour\":\"RED\"}");
}

TEST_WITH(names_and_int64_are_as_the_style_wants_them, open_kinds, close_decoding)
{
    put_every_kind();
    assert_json(*state, true, true,
                "{\"a_double\":0.1,\"a_float\":0.1,\"an_int32\":-3,\"an_int64\":-4,"
                "\"a_uint32\":4294967295,\"a_uint64\":18446744073709551615,\"a_sint32\":-7,"
                "\"a_sint64\":-9223372036854775808,\"a_fixed32\":9,\"a_fixed64\":10,"
                "\"a_sfixed32\":-11,\"a_sfixed64\":-12,\"a_bool\":true,\"a_string\":\"text\","
                "\"a_colour\":\"RED\"}");
}

static void put_lists(void)
{
    wire_double(&wire, 31, 1.5);
    wire_double(&wire, 31, -0.0);
    wire_bytes(&wire, 32, "\0\0\x80\x3f\0\0\0\xc0", 8);
    wire_bytes(&wire, 33, "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    wire_bytes(&wire, 34, "\x05\x00", 2);
    wire_uint(&wire, 36, 6);
    wire_bytes(&wire, 38, "\x03\x04", 2);
    wire_bytes(&wire, 43, "\x01\x00", 2);
    wire_text(&wire, 44, "");
    wire_text(&wire, 44, "b");
    wire_bytes(&wire, 46, "\x00\x01\x63\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13);
    wire_bytes(&wire, 47, "", 0);
    wire_bytes(&wire, 47, "\x08\x01", 2);
}

TEST_WITH(lists_hold_every_element_defaults_too, open_kinds, close_decoding)
{
    put_lists();
    assert_json(*state, false, false,
                "{\"doubles\":[1.5,-0.0],\"floats\":[1,-2],\"int32s\":[1,-1],"
                "\"int64s\":[\"5\",\"0\"],\"uint64s\":[\"6\"],\"sint64s\":[\"-2\",\"2\"],"
                "\"bools\":[true,false],\"strings\":[\"\",\"b\"],"
                "\"colours\":[\"NONE\",\"RED\",99,\"BLUE\"],\"parts\":[{},{\"x2Y\":1}]}");
}

/*
 * A field without presence is not written if it has its default value. A field in a oneof and a
 * message field have presence, so they are written.
 */
TEST_WITH(what_has_its_default_is_left_out_unless_it_can_be_present, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    assert_json(decoding, false, false, "{}");
    wire_double(&wire, 1, 0.0);
    wire_uint(&wire, 4, 0);
    wire_uint(&wire, 13, 0);
    wire_text(&wire, 14, "");
    wire_uint(&wire, 16, 0);
    wire_bytes(&wire, 31, "", 0);
    assert_json(decoding, false, false, "{}");
    wire_double(&wire, 1, -0.0);
    wire_bytes(&wire, 17, "", 0);
    wire_uint(&wire, 18, 0);
    assert_json(decoding, false, false, "{\"aDouble\":-0.0,\"aPart\":{},\"oneNumber\":0}");
    wire_text(&wire, 19, "");
    assert_json(decoding, false, false, "{\"aDouble\":-0.0,\"aPart\":{},\"oneText\":\"\"}");
    wire_bytes(&wire, 20, "", 0);
    assert_json(decoding, false, false, "{\"aDouble\":-0.0,\"aPart\":{},\"onePart\":{}}");
}

TEST_WITH(names_are_camel_case_as_protoc_has_them, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    size_t part = wire_begin(&wire, 17);
    for (uint32_t field = 1; field <= 4; field++)
        wire_uint(&wire, field, field);
    wire_end(&wire, part);
    assert_json(decoding, false, false,
                "{\"aPart\":{\"x2Y\":1,\"trailing\":2,\"withTwo\":3,\"UPPERCase\":4}}");
    assert_json(decoding, true, false,
                "{\"a_part\":{\"x2_y\":1,\"trailing_\":2,\"with__two\":3,\"UPPER_case\":4}}");
}

TEST_WITH(numbers_that_json_lacks_are_strings, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    wire_double(&wire, 31, (double)NAN);
    wire_double(&wire, 31, (double)INFINITY);
    wire_double(&wire, 31, -(double)INFINITY);
    wire_float(&wire, 32, NAN);
    wire_float(&wire, 32, INFINITY);
    wire_float(&wire, 32, -INFINITY);
    assert_json(decoding, false, true,
                "{\"doubles\":[\"NaN\",\"Infinity\",\"-Infinity\"],"
                "\"floats\":[\"NaN\",\"Infinity\",\"-Infinity\"]}");
}

TEST_WITH(a_name_that_the_enum_lacks_is_its_number, open_kinds, close_decoding)
{
    wire_uint(&wire, 16, 77);
    assert_json(*state, false, false, "{\"aColour\":77}");
}

TEST_WITH(strings_of_any_bytes_are_valid_json, open_riemann, close_decoding)
{
    struct decoding *decoding = *state;
    wire_bytes(&wire, 3, "a\0\x1f\"\\\n\xff\xc3\xa9\xed\xa0\x80", 12);
    assert_json(decoding, false, false,
                "{\"error\":\"a\\u0000\\u001f\\\"\\\\\\n\xef\xbf\xbd\xc3\xa9"
                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}");

    /* The loops make all 65,536 pairs of bytes. */
    for (unsigned first = 0; first < 256; first++) {
        wire_clear(&wire);
        size_t event = wire_begin(&wire, 6);
        for (unsigned second = 0; second < 256; second++) {
            char pair[2] = {(char)first, (char)second};
            wire_bytes(&wire, 7, pair, sizeof pair);
        }
        wire_end(&wire, event);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        char *json = decoding_json(decoding, false, false);
        assert_true(utf8_valid(json, strlen(json)));
        struct json_tree *tree = json_tree_read(json, strlen(json));
        assert_non_null(tree);
        const struct json_tree *events = json_tree_member(tree, "events");
        assert_int_equal(events->count, 1);
        assert_int_equal(json_tree_member(events->children[0], "tags")->count, 256);
        json_tree_free(tree);
        free(json);
    }
}

TEST_WITH(proto2_fields_that_were_sent_are_written_defaults_too, open_riemann, close_decoding)
{
    struct decoding *decoding = *state;
    wire_uint(&wire, 2, 0);
    wire_text(&wire, 3, "");
    size_t event = wire_begin(&wire, 6);
    wire_uint(&wire, 1, 0);
    size_t attribute = wire_begin(&wire, 9);
    wire_text(&wire, 1, "");
    wire_end(&wire, attribute);
    wire_sint(&wire, 13, 0);
    wire_double(&wire, 14, 0);
    wire_end(&wire, event);
    assert_json(decoding, false, false,
                "{\"ok\":false,\"error\":\"\",\"events\":[{\"time\":\"0\","
                "\"attributes\":[{\"key\":\"\"}],\"metricSint64\":\"0\",\"metricD\":0}]}");
}

TEST_WITH(an_output_too_small_overflows_and_holds_what_fits, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    put_every_kind();
    put_lists();
    assert_decodes_to(decoding, &wire, DECODE_OK);
    char *whole = decoding_json(decoding, false, false);
    struct json_style style = {.proto_names = false, .int64_numbers = false};
    for (size_t capacity = 0; capacity <= strlen(whole); capacity++) {
        struct output out = {.data = malloc(capacity + 1), .capacity = capacity};
        message_write_json(decoding->type, decoding->message, &style, NULL, &out);
        assert_int_equal(out.overflow, capacity < strlen(whole));
        assert_memory_equal(out.data, whole, out.used);
        free(out.data);
    }
    free(whole);
}

TEST_WITH(bytes_that_do_not_fit_are_not_written, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    put_every_kind();
    assert_decodes_to(decoding, &wire, DECODE_OK);
    for (size_t capacity = wire.size - 1; capacity <= wire.size; capacity++) {
        struct output out = {.data = malloc(capacity), .capacity = capacity};
        message_encode(decoding->type, decoding->message, &out);
        assert_int_equal(out.overflow, capacity < wire.size);
        assert_int_equal(out.used, out.overflow ? 0 : wire.size);
        if (!out.overflow)
            assert_memory_equal(out.data, wire.bytes, wire.size); /* in order of field numbers */
        free(out.data);
    }
}
