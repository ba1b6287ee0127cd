/* Tests results that depend on the complete message: merged fields, maps, and required fields. */
#include <string.h>

#include "proto/message/type.h"
#include "tests/support/proto/legacy.h"
#include "tests/support/test.h"

static int open_strict(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Strict70");
}

/* --- merging ---------------------------------------------------------------------------------- */

TEST_WITH(a_message_given_twice_is_merged, open_legacy, close_decoding)
{
    size_t child = wire_begin(&wire, CHILD);
    wire_uint(&wire, NUMBER, 1);
    wire_text(&wire, TEXT, "first");
    wire_end(&wire, child);
    child = wire_begin(&wire, CHILD);
    wire_text(&wire, TEXT, "second");
    wire_uint(&wire, FLAG, 1);
    wire_end(&wire, child);
    assert_decodes_as(*state, &wire,
                      "{\"child\":{\"number\":1,\"text\":\"second\",\"flag\":true}}");
}

TEST_WITH(merging_goes_down_through_recursive_messages_and_groups, open_legacy, close_decoding)
{
    for (uint32_t i = 1; i <= 2; i++) {
        size_t child = wire_begin(&wire, CHILD);
        size_t grandchild = wire_begin(&wire, CHILD);
        wire_tag(&wire, PAIR, GROUP_START);
        wire_uint(&wire, i == 1 ? 1 : 4711, i);
        wire_uint(&wire, 3, i);
        wire_tag(&wire, PAIR, GROUP_END);
        wire_uint(&wire, i == 1 ? NUMBER : FLAG, 1);
        wire_end(&wire, grandchild);
        wire_end(&wire, child);
    }
    assert_decodes_as(*state, &wire,
                      "{\"child\":{\"child\":{\"number\":1,\"pair\":{\"left\":1,\"list\":[1,2]},"
                      "\"flag\":true}}}");
    assert_int_equal(((struct decoding *)*state)->unknown_fields, 1);
}

TEST_WITH(merging_joins_lists_and_unknown_fields, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    for (uint32_t i = 1; i <= 3; i++) {
        size_t child = wire_begin(&wire, CHILD);
        if (i != 2) /* the second message has no value */
            wire_uint(&wire, LIST, i);
        if (i != 1)
            wire_text(&wire, EXTRAS, i == 2 ? "x" : "y");
        wire_uint(&wire, NOBODYS, i);
        wire_end(&wire, child);
    }
    assert_decodes_as(decoding, &wire,
                      "{\"child\":{\"list\":[1,3],\"[sluice.legacy.extras]\":[\"x\",\"y\"]}}");
    assert_int_equal(decoding->unknown_fields, 3);
    const struct field_type *child = message_type_find(decoding->type, CHILD);
    const ProtobufCMessage *inside =
        *(ProtobufCMessage *const *)field_value(child, message_of(decoding));
    assert_int_equal(inside->n_unknown_fields, 3);
    for (uint8_t i = 0; i < 3; i++)
        assert_int_equal(inside->unknown_fields[i].data[0], i + 1);
}

TEST_WITH(a_oneof_message_given_twice_is_merged_unless_another_came_between, open_legacy,
          close_decoding)
{
    static const bool between[] = {false, true};
    for (size_t i = 0; i < 2; i++) {
        wire_clear(&wire);
        wire_tag(&wire, PART, GROUP_START);
        wire_uint(&wire, 1, 1);
        wire_tag(&wire, PART, GROUP_END);
        if (between[i])
            wire_uint(&wire, COUNT, 1);
        wire_tag(&wire, PART, GROUP_START);
        wire_uint(&wire, 2, 2);
        wire_tag(&wire, PART, GROUP_END);
        assert_decodes_as(*state, &wire,
                          between[i] ? "{\"part\":{\"y\":2}}" : "{\"part\":{\"x\":1,\"y\":2}}");
    }
}

TEST_WITH(elements_of_a_list_are_not_merged, open_legacy, close_decoding)
{
    for (uint32_t i = 1; i <= 2; i++) {
        size_t child = wire_begin(&wire, CHILDREN);
        wire_uint(&wire, i == 1 ? NUMBER : FLAG, 1);
        wire_end(&wire, child);
    }
    assert_decodes_as(*state, &wire, "{\"children\":[{\"number\":1},{\"flag\":true}]}");
}

/* --- maps ------------------------------------------------------------------------------------- */

static void put_count(const char *key, uint64_t value)
{
    size_t entry = wire_begin(&wire, COUNTS);
    wire_text(&wire, 1, key);
    wire_uint(&wire, 2, value);
    wire_end(&wire, entry);
}

TEST_WITH(a_map_keeps_the_last_entry_of_a_key, open_legacy, close_decoding)
{
    put_count("a", 1);
    put_count("b", 2);
    put_count("a", 3);
    assert_decodes_as(*state, &wire, "{\"counts\":{\"b\":2,\"a\":3}}");
    wire_wrap(&wire, CHILD, 1); /* repeated keys are merged in the same way when maps are merged */
    static struct wire again;
    wire_clear(&again);
    wire_raw(&again, wire.bytes, wire.size);
    wire_clear(&wire);
    put_count("b", 4);
    wire_wrap(&wire, CHILD, 1);
    wire_raw(&again, wire.bytes, wire.size);
    assert_decodes_as(*state, &again, "{\"child\":{\"counts\":{\"a\":3,\"b\":4}}}");
}

/* The decoder sorts a map of this size by its keys to find repeated keys. */
TEST_WITH(a_large_map_keeps_the_last_entry_of_each_key, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    for (unsigned i = 0; i < 3000; i++) {
        char key[2] = {(char)('a' + i * 7 % 20), '\0'};
        put_count(key, i);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    const struct field_type *map = message_type_find(decoding->type, COUNTS);
    assert_int_equal(field_elements(map, message_of(decoding)), 20);
    ProtobufCMessage *const *entries =
        *(ProtobufCMessage *const *const *)field_value(map, message_of(decoding));
    for (unsigned i = 0; i < 20; i++) /* the entries keep the order in which they came */
        assert_int_equal(*(const int32_t *)field_value(&map->message->fields[1], entries[i]),
                         2980 + i);
}

TEST_WITH(what_an_entry_leaves_out_is_its_default, open_legacy, close_decoding)
{
    wire_bytes(&wire, COUNTS, "", 0);
    wire_bytes(&wire, BY_NUMBER, "", 0);
    wire_bytes(&wire, STATES, "", 0);
    assert_decodes_as(*state, &wire,
                      "{\"states\":{\"\":\"OFF\"},\"by_number\":{\"0\":{}},\"counts\":{\"\":0}}");
}

TEST_WITH(in_an_entry_the_last_key_counts_and_messages_are_merged, open_legacy, close_decoding)
{
    size_t entry = wire_begin(&wire, BY_NUMBER);
    wire_uint(&wire, 1, 1);
    wire_bytes(&wire, 2, "\x08\x05", 2);
    wire_uint(&wire, 1, 2);
    wire_bytes(&wire, 2, "\x12\x01t", 3);
    wire_uint(&wire, 3, 9); /* an unknown field */
    wire_end(&wire, entry);
    assert_decodes_as(*state, &wire, "{\"by_number\":{\"2\":{\"number\":5,\"text\":\"t\"}}}");
}

/* --- required fields -------------------------------------------------------------------------- */

static void put_needs(uint32_t number, bool must)
{
    size_t needs = wire_begin(&wire, number);
    wire_uint(&wire, must ? 1 : 2, 5);
    wire_end(&wire, needs);
}

TEST_WITH(a_message_without_its_required_field_is_malformed, open_legacy, close_decoding)
{
    static const uint32_t fields[] = {NEEDS, MANY_NEEDS, EXTRA_NEEDS};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        wire_clear(&wire);
        put_needs(fields[i], true);
        assert_decodes_to(*state, &wire, DECODE_OK);
        wire_clear(&wire);
        put_needs(fields[i], false);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
        wire_wrap(&wire, CHILD, 3);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    }
}

TEST_WITH(required_fields_split_over_two_occurrences_are_there, open_legacy, close_decoding)
{
    static const uint32_t fields[] = {NEEDS, EXTRA_NEEDS};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (int first = 0; first <= 1; first++) {
            wire_clear(&wire);
            put_needs(fields[i], first == 0);
            put_needs(fields[i], first == 1);
            assert_decodes_to(*state, &wire, DECODE_OK);
        }
    wire_clear(&wire);
    put_needs(MANY_NEEDS, true); /* elements of a list are not merged */
    put_needs(MANY_NEEDS, false);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
}

TEST_WITH(a_group_without_its_required_field_is_malformed, open_legacy, close_decoding)
{
    wire_tag(&wire, STRICT, GROUP_START);
    wire_tag(&wire, STRICT, GROUP_END);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_tag(&wire, STRICT, GROUP_START);
    wire_uint(&wire, 1, 0);
    wire_tag(&wire, STRICT, GROUP_END);
    assert_decodes_as(*state, &wire, "{\"strict\":{\"must\":0}}");
}

TEST_WITH(a_map_value_without_its_required_field_is_malformed, open_legacy, close_decoding)
{
    size_t entry = wire_begin(&wire, NEEDS_BY_NUMBER);
    wire_uint(&wire, 1, 1);
    put_needs(2, false);
    wire_end(&wire, entry);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    entry = wire_begin(&wire, NEEDS_BY_NUMBER); /* only the last entry of a key must be complete */
    wire_uint(&wire, 1, 1);
    put_needs(2, true);
    wire_end(&wire, entry);
    assert_decodes_as(*state, &wire, "{\"needs_by_number\":{\"1\":{\"must\":5}}}");
    /* This entry of the map has no value, so the required field of its value is missing. */
    wire_bytes(&wire, NEEDS_BY_NUMBER, "\x08\x02", 2);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
}

TEST_WITH(a_oneof_member_that_was_replaced_need_not_be_complete, open_legacy, close_decoding)
{
    size_t other = wire_begin(&wire, OTHER);
    put_needs(NEEDS, false);
    wire_end(&wire, other);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_uint(&wire, COUNT, 1);
    assert_decodes_as(*state, &wire, "{\"count\":1}");
}

TEST_WITH(each_of_seventy_required_fields_is_missed, open_strict, close_decoding)
{
    for (uint32_t missing = 0; missing <= 70; missing++) {
        wire_clear(&wire);
        for (uint32_t number = 1; number <= 70; number++)
            if (number != missing)
                wire_uint(&wire, number, 0);
        assert_decodes_to(*state, &wire, missing == 0 ? DECODE_OK : DECODE_MALFORMED);
    }
}
