/*
 * Tests the encoder: a message that is decoded and encoded again has the same meaning. Also tests
 * functions of protobuf-c with structures of the decoder, and with descriptors that are made at run
 * time.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/message/encode.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

enum { GROUP_START = 3, GROUP_END = 4 };

static int open_legacy(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Legacy");
}

static int open_modern(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Modern");
}

static int open_kinds(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Kinds");
}

static int open_sparse(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Sparse");
}

static int open_nothing(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Nothing");
}

static void assert_encoded(struct decoding *decoding, const void *bytes, size_t size)
{
    static struct wire again;
    wire_clear(&again);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    decoding_encode(decoding, &again);
    assert_int_equal(again.size, size);
    assert_memory_equal(again.bytes, bytes, size);
}

/* --- the program's encoder -------------------------------------------------------------------- */

static void known_groups_are_encoded_with_their_tags(void **state)
{
    wire_tag(&wire, 4, GROUP_START);
    wire_uint(&wire, 1, 7);
    wire_tag(&wire, 4, GROUP_START);
    wire_tag(&wire, 4, GROUP_END);
    wire_tag(&wire, 4, GROUP_END);
    for (int i = 0; i < 2; i++) {
        wire_tag(&wire, 5, GROUP_START);
        wire_text(&wire, 1, "a");
        wire_tag(&wire, 5, GROUP_END);
    }
    wire_tag(&wire, 103, GROUP_START);
    wire_tag(&wire, 103, GROUP_END);
    assert_encoded(*state, wire.bytes, wire.size);
}

static void unknown_fields_of_every_wire_type_are_encoded_as_they_came(void **state)
{
    wire_uint(&wire, 90, UINT64_MAX);
    wire_fixed64(&wire, 91, 1);
    wire_text(&wire, 92, "text");
    wire_fixed32(&wire, 93, 1);
    wire_tag(&wire, 94, GROUP_START);
    wire_tag(&wire, 1, 0);
    wire_raw(&wire, "\x81\x80\x00", 3); /* a varint longer than necessary */
    wire_tag(&wire, 94, GROUP_END);
    assert_encoded(*state, wire.bytes, wire.size);
}

static void minus_zero_without_presence_is_encoded(void **state)
{
    wire_double(&wire, 3, -0.0);
    wire_float(&wire, 4, -0.0F);
    assert_encoded(*state, wire.bytes, wire.size);
    wire_clear(&wire);
    wire_double(&wire, 3, 0.0);
    wire_float(&wire, 4, 0.0F);
    assert_encoded(*state, "", 0);
}

static void what_has_presence_is_encoded_at_its_default(void **state)
{
    wire_uint(&wire, 1, 0);
    wire_text(&wire, 2, "");
    assert_encoded(*state, wire.bytes, wire.size);
}

static void lists_are_packed_as_declared(void **state)
{
    wire_bytes(&wire, 6, "\1\2", 2);  /* proto3: packed by default */
    wire_bytes(&wire, 12, "\3\4", 2); /* declared [packed = false] */
    assert_encoded(*state, "\x32\x02\x01\x02\x60\x03\x60\x04", 8);
}

static void proto2_lists_are_packed_as_declared(void **state)
{
    wire_bytes(&wire, 16, "\1\2", 2);
    wire_fixed32(&wire, 17, 3);
    assert_encoded(*state, "\x80\x01\x01\x80\x01\x02\x8a\x01\x04\x03\x00\x00\x00", 13);
}

static void both_parts_of_a_map_entry_are_encoded(void **state)
{
    wire_bytes(&wire, 26, "", 0);
    assert_encoded(*state, "\xd2\x01\x04\x0a\x00\x10\x00", 7);
}

static void negative_numbers_take_ten_bytes_and_zigzag_fewer(void **state)
{
    wire_uint(&wire, 3, (uint64_t)-1);
    wire_sint(&wire, 7, -1);
    wire_sint(&wire, 8, INT64_MIN);
    assert_encoded(*state, wire.bytes, wire.size);
    assert_int_equal(wire.size, 11 + 2 + 11);
}

static void fields_go_out_by_number_then_the_unknown_ones(void **state)
{
    wire_uint(&wire, 99, 1);
    wire_text(&wire, 2, "t");
    wire_uint(&wire, 1, 1);
    assert_encoded(*state, "\x08\x01\x12\x01t\x98\x06\x01", 8);
}

static void wrap_in_group(void)
{
    static struct wire content;
    wire_wrap(&wire, 2, 1);
    content = wire;
    wire_clear(&wire);
    wire_tag(&wire, 4, GROUP_START);
    wire_raw(&wire, content.bytes, content.size);
    wire_tag(&wire, 4, GROUP_END);
}

static void put_tower(uint32_t number)
{
    wire_clear(&wire);
    if (number == 18 || number == 25)
        wire_wrap(&wire, number, 100);
    for (int level = 0; number == 4 && level < 50; level++)
        wrap_in_group();
    for (int level = 0; number == 15 && level < 50; level++) {
        wire_wrap(&wire, 2, 1);
        wire_wrap(&wire, 15, 1);
    }
}

static void a_hundred_levels_are_encoded_and_read_again(void **state)
{
    struct decoding *decoding = *state;
    static const uint32_t ways[] = {18, 25, 4, 15};
    static struct wire again;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        put_tower(ways[i]);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        wire_clear(&again);
        decoding_encode(decoding, &again);
        assert_decodes_to(decoding, &again, DECODE_OK);
    }
}

/* --- protobuf-c with the same structures ------------------------------------------------------ */

static const ProtobufCMessage *message_of(const struct decoding *decoding)
{
    return decoding->message;
}

/*
 * Encodes the decoded message with protobuf-c, and asserts that the result decodes to the same
 * message.
 */
static void assert_packed_by_protobuf_c(struct decoding *decoding)
{
    static struct wire packed;
    assert_decodes_to(decoding, &wire, DECODE_OK);
    char *before = decoding_json(decoding, true, false);
    size_t unknown = decoding->unknown_fields;
    assert_true(protobuf_c_message_check(message_of(decoding)));
    packed.size = protobuf_c_message_get_packed_size(message_of(decoding));
    assert_in_range(packed.size, 0, WIRE_ROOM);
    assert_int_equal(protobuf_c_message_pack(message_of(decoding), packed.bytes), packed.size);
    assert_decodes_to(decoding, &packed, DECODE_OK);
    char *after = decoding_json(decoding, true, false);
    assert_string_equal(after, before);
    assert_int_equal(decoding->unknown_fields, unknown);
    free(after);
    free(before);
}

static void put_legacy(unsigned levels)
{
    wire_uint(&wire, 1, (uint64_t)-5);
    wire_bytes(&wire, 2, "a\0b", 3);
    wire_bytes(&wire, 3, "\xff", 1);
    wire_uint(&wire, 6, 2);
    wire_uint(&wire, 6, 77);
    wire_bytes(&wire, 7, "\1\2\x4d", 3);
    wire_bytes(&wire, 8, "\1\2", 2);
    wire_text(&wire, 13, "");
    wire_bytes(&wire, 14, "\x0a\x01k\x10\x00", 5);
    wire_bytes(&wire, 14, "", 0);
    wire_bytes(&wire, 14, "\x10\x4d", 2); /* an entry whose enum value is unknown */
    wire_bytes(&wire, 16, "\1\2", 2);
    wire_bytes(&wire, 17, "\1\0\0\0", 4);
    wire_bytes(&wire, 19, "\x08\x00", 2);
    wire_bytes(&wire, 20, "\x12\x02\x08\x01", 4);
    wire_uint(&wire, 22, 0);
    wire_double(&wire, 23, -0.0);
    wire_uint(&wire, 100, 1);
    wire_text(&wire, 101, "x");
    wire_uint(&wire, 99, 5);
    for (uint32_t number = 15; levels > 0 && number <= 25; number += number == 15 ? 3 : 7) {
        size_t child = wire_begin(&wire, number);
        size_t value = number == 15 ? wire_begin(&wire, 2) : 0;
        put_legacy(levels - 1);
        if (number == 15)
            wire_end(&wire, value);
        wire_end(&wire, child);
    }
}

static void protobuf_c_checks_and_packs_what_proto2_decoded(void **state)
{
    put_legacy(3);
    assert_packed_by_protobuf_c(*state);
    wire_clear(&wire);
    assert_packed_by_protobuf_c(*state);  /* an empty message */
    wire_bytes(&wire, 11, "\x08\x01", 2); /* the message in the oneof */
    assert_packed_by_protobuf_c(*state);
    wire_uint(&wire, 10, 0);
    assert_packed_by_protobuf_c(*state);
    wire_uint(&wire, 9, (uint64_t)-3);
    assert_packed_by_protobuf_c(*state);
}

static void protobuf_c_checks_and_packs_what_proto3_decoded(void **state)
{
    wire_uint(&wire, 1, 0);
    wire_text(&wire, 2, "");
    wire_double(&wire, 3, 0.5);
    wire_text(&wire, 5, "t");
    wire_bytes(&wire, 6, "\1\2", 2);
    wire_bytes(&wire, 7, "\x0a\x01k", 3);
    wire_bytes(&wire, 8, "\x08\x01", 2);
    wire_bytes(&wire, 9, "\x12\x02\x08\x00", 4);
    wire_bytes(&wire, 10, "", 0);
    wire_bytes(&wire, 12, "\3\4", 2);
    wire_bytes(&wire, 13, "", 0);
    assert_packed_by_protobuf_c(*state);
}

static void protobuf_c_checks_and_packs_every_kind(void **state)
{
    wire_double(&wire, 1, 0.1);
    wire_float(&wire, 2, 0.1F);
    for (uint32_t number = 3; number <= 6; number++)
        wire_uint(&wire, number, UINT64_MAX);
    wire_sint(&wire, 7, INT32_MIN);
    wire_sint(&wire, 8, INT64_MIN);
    wire_fixed32(&wire, 9, UINT32_MAX);
    wire_fixed64(&wire, 10, UINT64_MAX);
    wire_fixed32(&wire, 11, UINT32_MAX);
    wire_fixed64(&wire, 12, UINT64_MAX);
    wire_uint(&wire, 13, 1);
    wire_text(&wire, 14, "text");
    wire_uint(&wire, 16, 99);
    wire_bytes(&wire, 17, "\x08\x01", 2);
    wire_text(&wire, 19, "one");
    wire_bytes(&wire, 33, "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    wire_bytes(&wire, 38, "\x03\x04", 2);
    wire_bytes(&wire, 43, "\x01\x00", 2);
    wire_text(&wire, 44, "");
    wire_bytes(&wire, 47, "\x08\x01", 2);
    assert_packed_by_protobuf_c(*state);
}

static void assert_finds_all_fields(const ProtobufCMessageDescriptor *type)
{
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        assert_ptr_equal(protobuf_c_message_descriptor_get_field(type, field->id), field);
        assert_ptr_equal(protobuf_c_message_descriptor_get_field_by_name(type, field->name), field);
        for (uint32_t beside = field->id - 1; beside <= field->id + 1; beside += 2) {
            const ProtobufCFieldDescriptor *found =
                protobuf_c_message_descriptor_get_field(type, beside);
            assert_true(found == NULL || found->id == beside);
        }
    }
    assert_null(protobuf_c_message_descriptor_get_field_by_name(type, "no_such_field"));
    assert_null(protobuf_c_message_descriptor_get_field(type, 0));
}

static void protobuf_c_finds_fields_by_number_and_name(void **state)
{
    struct decoding *decoding = *state;
    assert_finds_all_fields(decoding->type->descriptor);
}

static void protobuf_c_finds_enum_values_by_number_and_name(void **state)
{
    struct decoding *decoding = *state;
    const ProtobufCEnumDescriptor *colours = message_type_find(decoding->type, 6)->enumeration;
    static const struct {
        const char *name;
        int number;
    } known[] = {{"RED", 1}, {"GREEN", 2}, {"CRIMSON", 1}, {"COLD", -3}, {"LAST", INT32_MAX}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ProtobufCEnumValue *value =
            protobuf_c_enum_descriptor_get_value_by_name(colours, known[i].name);
        assert_non_null(value);
        assert_int_equal(value->value, known[i].number);
        const ProtobufCEnumValue *found = enum_find(colours, known[i].number);
        assert_ptr_equal(found, value);
        if (known[i].number != INT32_MAX) /* protobuf-c's search does not find the largest number */
            assert_ptr_equal(protobuf_c_enum_descriptor_get_value(colours, known[i].number), value);
    }
    assert_null(protobuf_c_enum_descriptor_get_value(colours, 0));
    assert_null(protobuf_c_enum_descriptor_get_value(colours, 3));
    assert_null(protobuf_c_enum_descriptor_get_value(colours, INT32_MIN));
    assert_null(protobuf_c_enum_descriptor_get_value_by_name(colours, "BLUE"));
    assert_null(enum_find(colours, INT32_MAX - 1));
}

static void a_message_without_fields_has_no_list_of_them(void **state)
{
    struct decoding *decoding = *state;
    assert_null(decoding->type->descriptor->fields);
    assert_int_equal(decoding->type->descriptor->n_fields, 0);
    wire_uint(&wire, 1, 1);
    assert_encoded(decoding, "\x08\x01", 2);
    assert_packed_by_protobuf_c(decoding);
}

/* --- structures and descriptors --------------------------------------------------------------- */

static void members_of_a_oneof_share_their_place_and_their_case(void **state)
{
    struct decoding *decoding = *state;
    const struct field_type *first = message_type_find(decoding->type, 9);
    for (uint32_t number = 9; number <= 13; number++) {
        const struct field_type *field = message_type_find(decoding->type, number);
        assert_int_equal(field->presence, PRESENCE_ONEOF);
        assert_int_equal(field->offset, first->offset);
        assert_int_equal(field->quantifier, first->quantifier);
        assert_int_equal(field->descriptor->offset, first->offset);
        assert_int_equal(field->descriptor->quantifier_offset, first->quantifier);
        assert_true(field->descriptor->flags & PROTOBUF_C_FIELD_FLAG_ONEOF);
    }
    wire_text(&wire, 13, "w");
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_int_equal(
        *(const uint32_t *)(const void *)((const char *)decoding->message + first->quantifier), 13);
}

static void a_proto3_optional_is_a_flag_and_no_oneof(void **state)
{
    struct decoding *decoding = *state;
    const struct field_type *field = message_type_find(decoding->type, 1);
    assert_int_equal(field->presence, PRESENCE_FLAG);
    assert_int_equal(field->descriptor->label, PROTOBUF_C_LABEL_OPTIONAL);
    assert_int_equal(field->descriptor->flags & PROTOBUF_C_FIELD_FLAG_ONEOF, 0);
    wire_uint(&wire, 1, 0);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_true(*(const protobuf_c_boolean *)(const void *)((const char *)decoding->message +
                                                            field->descriptor->quantifier_offset));
    assert_int_equal(message_type_find(decoding->type, 5)->descriptor->label,
                     PROTOBUF_C_LABEL_NONE);
}

#define legacy(test) cmocka_unit_test_setup_teardown(test, open_legacy, close_decoding)
#define modern(test) cmocka_unit_test_setup_teardown(test, open_modern, close_decoding)
#define kinds(test)  cmocka_unit_test_setup_teardown(test, open_kinds, close_decoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        legacy(known_groups_are_encoded_with_their_tags),
        legacy(unknown_fields_of_every_wire_type_are_encoded_as_they_came),
        modern(minus_zero_without_presence_is_encoded),
        modern(what_has_presence_is_encoded_at_its_default),
        modern(lists_are_packed_as_declared),
        legacy(proto2_lists_are_packed_as_declared),
        legacy(both_parts_of_a_map_entry_are_encoded),
        kinds(negative_numbers_take_ten_bytes_and_zigzag_fewer),
        legacy(fields_go_out_by_number_then_the_unknown_ones),
        legacy(a_hundred_levels_are_encoded_and_read_again),
        legacy(protobuf_c_checks_and_packs_what_proto2_decoded),
        modern(protobuf_c_checks_and_packs_what_proto3_decoded),
        kinds(protobuf_c_checks_and_packs_every_kind),
        legacy(protobuf_c_finds_fields_by_number_and_name),
        kinds(protobuf_c_finds_fields_by_number_and_name),
        cmocka_unit_test_setup_teardown(protobuf_c_finds_fields_by_number_and_name, open_sparse,
                                        close_decoding),
        legacy(protobuf_c_finds_enum_values_by_number_and_name),
        cmocka_unit_test_setup_teardown(a_message_without_fields_has_no_list_of_them, open_nothing,
                                        close_decoding),
        legacy(members_of_a_oneof_share_their_place_and_their_case),
        modern(a_proto3_optional_is_a_flag_and_no_oneof),
    };
    return cmocka_run_group_tests_name("message_encode", tests, NULL, NULL);
}
