/* Tests the initial values of fields in protobuf-c's structures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/runtime/descriptor_file.h"
#include "tests/support/test.h"

static struct type_set *set;
static const struct message_type *type;
static uint8_t memory[4096];

static int load(void **state)
{
    (void)state;
    struct error error;
    if (descriptor_file_load(TEST_SETS "/defaults.desc", &set, &error) != 0)
        fail_msg("%s", error.text);
    type = type_set_require(set, "sluice.defaults.Defaults", &error);
    assert_non_null(type);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    type_set_destroy(set);
    return 0;
}

static const void *value_of(const ProtobufCMessage *message, const char *name)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
    assert_non_null(field);
    return (const char *)message + field->offset;
}

static const ProtobufCMessage *empty_message(void)
{
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct decoded decoded;
    assert_int_equal(message_decode(type, NULL, 0, SCHEMA_MAX_DEPTH, &arena, &decoded), DECODE_OK);
    return decoded.message;
}

static void assert_text(const void *at, const char *expected, size_t size)
{
    const ProtobufCBinaryData *text = at;
    assert_int_equal(text->len, size);
    assert_memory_equal(text->data, expected, size);
}

static void assert_defaults(const ProtobufCMessage *message)
{
    assert_int_equal(*(const int32_t *)value_of(message, "an_int32"), -123456789);
    assert_true(*(const int64_t *)value_of(message, "an_int64") == -INT64_C(9123456789123456789));
    assert_int_equal(*(const uint32_t *)value_of(message, "a_uint32"), 4123456789);
    assert_true(*(const uint64_t *)value_of(message, "a_uint64") == UINT64_C(10123456789123456789));
    assert_int_equal(*(const uint32_t *)value_of(message, "a_fixed32"), 7);
    assert_true(*(const int64_t *)value_of(message, "a_sfixed64") == -8);
    assert_true(*(const float *)value_of(message, "a_float") == (float)9e9F);
    assert_true(*(const double *)value_of(message, "a_double") == (double)-INFINITY);
    assert_true(isnan(*(const double *)value_of(message, "not_a_number")));
    assert_int_equal(*(const protobuf_c_boolean *)value_of(message, "a_bool"), 1);
    assert_text(value_of(message, "text"), "Rosebud \"\\n\" \xc3\xa9", 15);
    assert_text(value_of(message, "octets"), "a\0\1\377\n\"\\z", 8);
    assert_int_equal(*(const int32_t *)value_of(message, "level"), -7);
    assert_int_equal(*(const int32_t *)value_of(message, "first"), 3);
    assert_int_equal(*(const int32_t *)value_of(message, "none"), 0);
    assert_int_equal(*(const int32_t *)value_of(message, "picked"), 0);
}

static void a_field_that_is_not_there_holds_its_default(void **state)
{
    (void)state;
    assert_defaults(empty_message());
}

/*
 * protobuf_c_message_unpack sets the default values in the descriptors that were made at run time.
 */
static void protobuf_c_finds_the_same_defaults(void **state)
{
    (void)state;
    ProtobufCMessage *message = protobuf_c_message_unpack(type->descriptor, NULL, 0, memory);
    assert_non_null(message);
    assert_defaults(message);
    protobuf_c_message_free_unpacked(message, NULL);
}

static void defaults_are_not_written(void **state)
{
    (void)state;
    char text[64];
    struct output out = {.data = text, .capacity = sizeof text};
    message_encode(type, empty_message(), &out);
    assert_int_equal(out.used, 0);
    const struct json_style style = {0};
    assert_int_equal(message_write_json(type, empty_message(), &style, NULL, &out), 0);
    assert_int_equal(out.used, 2);
    assert_memory_equal(text, "{}", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_that_is_not_there_holds_its_default),
        cmocka_unit_test(protobuf_c_finds_the_same_defaults),
        cmocka_unit_test(defaults_are_not_written),
    };
    return cmocka_run_group_tests_name("type_defaults", tests, load, unload);
}
