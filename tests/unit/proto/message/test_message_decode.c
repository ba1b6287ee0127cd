/* Tests the decoder with types from descriptor sets, for everything that the wire format allows. */
#include <string.h>

#include "proto/message/type.h"
#include "tests/support/proto/legacy.h"
#include "tests/support/test.h"

static int open_modern(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Modern");
}

static void assert_unknown(const struct decoding *decoding, uint32_t number, unsigned wire_type,
                           const void *data, size_t size)
{
    const ProtobufCMessage *message = message_of(decoding);
    assert_int_equal(decoding->unknown_fields, 1);
    assert_int_equal(message->n_unknown_fields, 1);
    const ProtobufCMessageUnknownField *field = &message->unknown_fields[0];
    assert_int_equal(field->tag, number);
    assert_int_equal(field->wire_type, wire_type);
    assert_int_equal(field->len, size);
    assert_memory_equal(field->data, data, size);
}

/* --- groups ----------------------------------------------------------------------------------- */

TEST_WITH(known_groups_are_decoded_single_and_repeated, open_legacy, close_decoding)
{
    wire_tag(&wire, PAIR, GROUP_START);
    wire_uint(&wire, 1, 7);
    size_t inner = wire_begin(&wire, 2);
    wire_text(&wire, TEXT, "in");
    wire_end(&wire, inner);
    wire_tag(&wire, 4, GROUP_START);
    wire_uint(&wire, 1, 8);
    wire_tag(&wire, 4, GROUP_END);
    wire_tag(&wire, PAIR, GROUP_END);
    for (int i = 0; i < 2; i++) {
        wire_tag(&wire, ITEM, GROUP_START);
        wire_text(&wire, 1, i == 0 ? "a" : "b");
        wire_tag(&wire, ITEM, GROUP_END);
    }
    wire_tag(&wire, PART, GROUP_START);
    wire_tag(&wire, PART, GROUP_END);
    assert_decodes_as(*state, &wire,
                      "{\"pair\":{\"left\":7,\"inner\":{\"text\":\"in\"},\"deeper\":{\"x\":8}},"
                      "\"item\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"part\":{}}");
}

TEST_WITH(an_unknown_group_is_one_unknown_field_with_its_end_tag, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    wire_tag(&wire, NOBODYS, GROUP_START);
    size_t start = wire.size;
    wire_uint(&wire, 1, 300);
    wire_tag(&wire, 2, GROUP_START);
    wire_tag(&wire, 2, GROUP_END);
    wire_text(&wire, 3, "bytes");
    wire_tag(&wire, NOBODYS, GROUP_END);
    size_t end = wire.size;
    wire_uint(&wire, NUMBER, 1);
    assert_decodes_as(decoding, &wire, "{\"number\":1}");
    assert_unknown(decoding, NOBODYS, GROUP_START, wire.bytes + start, end - start);
}

TEST_WITH(a_group_ends_with_the_tag_of_its_own_number_only, open_legacy, close_decoding)
{
    static const uint32_t groups[] = {PAIR, ITEM, PART, EXTENDED, NOBODYS};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        wire_clear(&wire);
        wire_tag(&wire, groups[i], GROUP_START);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED); /* the group has no end */
        wire_tag(&wire, groups[i] + 1, GROUP_END);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
        wire_tag(&wire, groups[i], GROUP_END);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    }
    wire_clear(&wire);
    wire_tag(&wire, PAIR, GROUP_END); /* an end without a beginning */
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
}

/*
 * The end of a group cannot be inside of a message that began in the group, nor after the message
 * in which the group began.
 */
TEST_WITH(a_group_ends_in_the_bytes_that_it_began_in, open_legacy, close_decoding)
{
    wire_tag(&wire, PAIR, GROUP_START);
    size_t inner = wire_begin(&wire, 2);
    wire_tag(&wire, PAIR, GROUP_END);
    wire_end(&wire, inner);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_tag(&wire, PAIR, GROUP_END);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_clear(&wire);
    size_t child = wire_begin(&wire, CHILD);
    wire_tag(&wire, PAIR, GROUP_START);
    wire_end(&wire, child);
    wire_tag(&wire, PAIR, GROUP_END);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
}

/* --- wire types ------------------------------------------------------------------------------- */

TEST_WITH(a_known_field_of_another_wire_type_is_unknown, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    wire_text(&wire, NUMBER, "a");
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, NUMBER, 2, "\1a", 2);
    wire_clear(&wire);
    wire_uint(&wire, TEXT, 5);
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, TEXT, 0, "\5", 1);
    wire_clear(&wire);
    wire_fixed32(&wire, RATIO, 1);
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, RATIO, 5, "\1\0\0\0", 4);
    wire_clear(&wire);
    wire_text(&wire, PAIR, ""); /* a group field encoded as a message */
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, PAIR, 2, "", 1);
    wire_clear(&wire);
    wire_tag(&wire, CHILD, GROUP_START); /* a message field encoded as a group */
    wire_tag(&wire, CHILD, GROUP_END);
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, CHILD, GROUP_START, "\x94\x01", 2);
    wire_clear(&wire);
    wire_text(&wire, FLAG, "a"); /* packed, but the field is not repeated */
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, FLAG, 2, "\1a", 2);
}

TEST_WITH(wire_types_six_and_seven_are_malformed, open_legacy, close_decoding)
{
    for (unsigned wire_type = 6; wire_type <= 7; wire_type++)
        for (uint32_t number = 1; number < 110; number++) {
            wire_clear(&wire);
            wire_tag(&wire, number, wire_type);
            wire_uint(&wire, NUMBER, 1);
            assert_decodes_to(*state, &wire, DECODE_MALFORMED);
        }
}

TEST_WITH(field_number_zero_is_malformed, open_legacy, close_decoding)
{
    static const char *const tags[] = {"\0\1", "\1aaaaaaaa", "\2\1a", "\3\4", "\4", "\5aaaa"};
    static const size_t sizes[] = {2, 9, 3, 2, 1, 5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(decoding_run(*state, tags[i], sizes[i]), DECODE_MALFORMED);
        wire_clear(&wire); /* the same inside an unknown field */
        wire_tag(&wire, NOBODYS, GROUP_START);
        wire_raw(&wire, tags[i], sizes[i]);
        wire_tag(&wire, NOBODYS, GROUP_END);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    }
}

TEST_WITH(packed_and_plain_are_accepted_whichever_was_declared, open_legacy, close_decoding)
{
    wire_uint(&wire, LIST, 1);
    wire_bytes(&wire, LIST, "\2\3", 2);
    wire_bytes(&wire, LIST, "", 0);
    wire_uint(&wire, LIST, 4);
    wire_fixed32(&wire, PACKED_LIST, 5);
    wire_bytes(&wire, PACKED_LIST, "\6\0\0\0\7\0\0\0", 8);
    wire_uint(&wire, PACKED_COLOURS, 1);
    wire_bytes(&wire, COLOURS, "\1\2", 2);
    assert_decodes_as(*state, &wire,
                      "{\"colours\":[\"RED\",\"GREEN\"],\"packed_colours\":[\"RED\"],"
                      "\"list\":[1,2,3,4],\"packed_list\":[5,6,7]}");
}

TEST_WITH(packed_numbers_that_are_cut_are_malformed, open_legacy, close_decoding)
{
    wire_bytes(&wire, LIST, "\1\x80", 2);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_clear(&wire);
    wire_bytes(&wire, PACKED_LIST, "\1\0\0\0\1\0\0", 7);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST_WITH(a_bool_is_true_by_any_bit_of_its_varint, open_legacy, close_decoding)
{
    static const char high[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
    wire_tag(&wire, FLAG, 0);
    wire_raw(&wire, high, 10);
    assert_decodes_as(*state, &wire, "{\"flag\":true}");
    wire_clear(&wire);
    wire_tag(&wire, FLAG, 0);
    wire_raw(&wire, "\x80\x80\x80\x80\x10", 5); /* only bit 32 is set */
    assert_decodes_as(*state, &wire, "{\"flag\":true}");
    wire_clear(&wire);
    wire_tag(&wire, FLAG, 0);
    wire_raw(&wire, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10);
    assert_decodes_as(*state, &wire, "{\"flag\":false}");
}

TEST_WITH(bits_past_the_width_of_a_number_are_dropped, open_legacy, close_decoding)
{
    wire_uint(&wire, NUMBER, UINT64_C(0x7fffffff00000005));
    wire_uint(&wire, LIST, UINT64_C(0x80000000)); /* a negative number without sign extension */
    wire_uint(&wire, COLOUR, UINT64_C(0x100000002));
    wire_tag(&wire, COUNT, 0);
    /* A varint of more than 64 bits. */
    wire_raw(&wire, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
    assert_decodes_as(*state, &wire,
                      "{\"number\":5,\"colour\":\"GREEN\",\"count\":-1,\"list\":[-2147483648]}");
}

TEST_WITH(a_varint_of_eleven_bytes_and_a_tag_of_six_are_malformed, open_legacy, close_decoding)
{
    wire_tag(&wire, NUMBER, 0);
    wire_raw(&wire, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    assert_int_equal(decoding_run(*state, "\x88\x80\x80\x80\x80\x00\x01", 7), DECODE_MALFORMED);
    /* A tag or a length may be five bytes long, even if fewer would do. */
    assert_int_equal(decoding_run(*state, "\x88\x80\x80\x80\x00\x01", 6), DECODE_OK);
    assert_int_equal(decoding_run(*state, "\x12\x81\x80\x80\x80\x00\x61", 7), DECODE_OK);
    /* A length of six bytes is malformed. */
    assert_int_equal(decoding_run(*state, "\x12\x81\x80\x80\x80\x80\x00\x61", 8), DECODE_MALFORMED);
}

TEST_WITH(the_largest_enum_value_is_found, open_legacy, close_decoding)
{
    wire_uint(&wire, COLOUR, INT32_MAX);
    wire_uint(&wire, CHOSEN, (uint64_t)-3);
    assert_decodes_as(*state, &wire, "{\"colour\":\"LAST\",\"chosen\":\"COLD\"}");
}

TEST_WITH(of_two_names_of_a_number_the_first_is_written, open_legacy, close_decoding)
{
    wire_uint(&wire, COLOUR, 1);
    assert_decodes_as(*state, &wire, "{\"colour\":\"RED\"}");
}

/* --- strings ---------------------------------------------------------------------------------- */

TEST_WITH(strings_are_not_cut_at_nul, open_legacy, close_decoding)
{
    wire_bytes(&wire, TEXT, "a\0b", 3);
    wire_bytes(&wire, DATA, "\0", 1);
    assert_decodes_as(*state, &wire, "{\"text\":\"a\\u0000b\",\"data\":\"AA==\"}");
}

TEST_WITH(proto3_strings_must_be_utf8_and_proto2_ones_need_not, open_modern, close_decoding)
{
    static const char *const bad[] = {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xc3"};
    struct decoding *decoding = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wire_clear(&wire);
        wire_text(&wire, 5, bad[i]);
        assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
        for (uint32_t part = 1; part <= 2; part++) { /* key and value of a map entry */
            wire_clear(&wire);
            size_t entry = wire_begin(&wire, 7);
            wire_text(&wire, part, bad[i]);
            wire_end(&wire, entry);
            assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
        }
        wire_clear(&wire);
        wire_text(&wire, 14, bad[i]);
        assert_decodes_to(decoding, &wire, DECODE_OK); /* `bytes` fields need not be UTF-8 */
    }
    assert_int_equal(close_decoding(state), 0);
    assert_int_equal(open_legacy(state), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wire_clear(&wire);
        wire_text(&wire, TEXT, bad[i]);
        size_t entry = wire_begin(&wire, COUNTS);
        wire_text(&wire, 1, bad[i]);
        wire_end(&wire, entry);
        assert_decodes_to(*state, &wire, DECODE_OK);
    }
}

/* --- presence --------------------------------------------------------------------------------- */

TEST_WITH(a_proto3_optional_is_there_also_at_its_default, open_modern, close_decoding)
{
    assert_decodes_as(*state, &wire, "{}");
    wire_uint(&wire, 1, 0);
    wire_text(&wire, 2, "");
    wire_text(&wire, 5, ""); /* without presence, an empty value is not written */
    assert_decodes_as(*state, &wire, "{\"maybe_number\":0,\"maybe_text\":\"\"}");
}

TEST_WITH(a_oneof_holds_the_last_member_that_came, open_legacy, close_decoding)
{
    wire_uint(&wire, COUNT, 5);
    wire_text(&wire, WORD, "w");
    assert_decodes_as(*state, &wire, "{\"word\":\"w\"}");
    size_t other = wire_begin(&wire, OTHER);
    wire_uint(&wire, NUMBER, 1);
    wire_end(&wire, other);
    assert_decodes_as(*state, &wire, "{\"other\":{\"number\":1}}");
    wire_uint(&wire, COUNT, 0);
    assert_decodes_as(*state, &wire, "{\"count\":0}");
}

/* --- closed enums ----------------------------------------------------------------------------- */

TEST_WITH(an_unknown_value_of_a_closed_enum_is_an_unknown_field, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    wire_uint(&wire, COLOUR, GREEN);
    wire_uint(&wire, COLOUR, BLACK); /* the earlier value, which is known, stays */
    assert_decodes_as(decoding, &wire, "{\"colour\":\"GREEN\"}");
    assert_unknown(decoding, COLOUR, 0, "\x4d", 1);
}

TEST_WITH(in_a_list_unknown_values_are_kept_apart, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    for (uint32_t number = COLOURS; number <= PACKED_COLOURS; number++) {
        wire_clear(&wire);
        wire_uint(&wire, number, 1);
        wire_uint(&wire, number, BLACK);
        wire_bytes(&wire, number, "\2\x4e\2", 3);
        assert_decodes_as(decoding, &wire,
                          number == COLOURS ? "{\"colours\":[\"RED\",\"GREEN\",\"GREEN\"]}"
                                            : "{\"packed_colours\":[\"RED\",\"GREEN\",\"GREEN\"]}");
        assert_int_equal(decoding->unknown_fields, 2);
        const ProtobufCMessage *message = message_of(decoding);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(message->unknown_fields[i].tag, number);
            assert_int_equal(message->unknown_fields[i].wire_type, 0);
            assert_int_equal(message->unknown_fields[i].data[0], BLACK + i);
        }
    }
}

TEST_WITH(an_unknown_value_does_not_choose_a_oneof_member, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    wire_uint(&wire, COUNT, 3);
    wire_uint(&wire, CHOSEN, BLACK);
    assert_decodes_as(decoding, &wire, "{\"count\":3}");
    assert_unknown(decoding, CHOSEN, 0, "\x4d", 1);
}

TEST_WITH(a_map_entry_of_an_unknown_value_is_unknown_as_a_whole, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    static const char known[] = "\x0a\x01k\x10\x01";
    static const char unknown[] = "\x0a\x01k\x10\x4d";
    wire_bytes(&wire, STATES, known, 5);
    wire_bytes(&wire, STATES, unknown, 5);
    assert_decodes_as(decoding, &wire, "{\"states\":{\"k\":\"ON\"}}");
    assert_unknown(decoding, STATES, 2, "\5\x0a\x01k\x10\x4d", 6);
    wire_clear(&wire);
    wire_bytes(&wire, STATES, unknown, 5);
    assert_decodes_as(decoding, &wire, "{}");
    assert_unknown(decoding, STATES, 2, "\5\x0a\x01k\x10\x4d", 6);
}

/* --- extensions ------------------------------------------------------------------------------- */

TEST_WITH(extensions_are_fields_by_their_full_name, open_legacy, close_decoding)
{
    wire_uint(&wire, EXTRA, 1);
    wire_text(&wire, EXTRAS, "a");
    wire_tag(&wire, EXTENDED, GROUP_START);
    wire_uint(&wire, 1, 2);
    wire_tag(&wire, EXTENDED, GROUP_END);
    wire_bytes(&wire, NESTED_EXTRA, "\x08\x03", 2);
    assert_decodes_as(*state, &wire,
                      "{\"[sluice.legacy.extra]\":1,\"[sluice.legacy.extras]\":[\"a\"],"
                      "\"[sluice.legacy.extended]\":{\"x\":2},"
                      "\"[sluice.legacy.Scope.nested_extra]\":{\"number\":3}}");
}
