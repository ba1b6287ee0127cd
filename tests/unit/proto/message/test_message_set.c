/*
 * Tests message sets: the meaning of their items, items that are dropped, kept or refused, and the
 * encoding.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/wire.h"
#include "proto/message/decode.h"
#include "proto/message/json.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

/*
 * The field numbers of messages Holder and Item in tests/proto/sets.proto, and the type ids of
 * items.
 */
enum { SET = 1, SETS = 2, BY_NAME = 3 };
enum { NUMBER = 1, LIST = 2, ITEM_SET = 3 };
enum { INNER = 4, NEEDS = 5, MODERN = 6, ITEM = 100, LAST = 2147483646, NOBODYS = 99 };

static int open_set(void **state)
{
    return decoding_set_up_shape(state, "sluice.sets.Set");
}

static int open_holder(void **state)
{
    return decoding_set_up_shape(state, "sluice.sets.Holder");
}

static int open_known(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Known");
}

/* --- items ------------------------------------------------------------------------------------ */

static void begin_item(void)
{
    wire_tag(&wire, WIRE_ITEM, WIRE_GROUP_START);
}

static void end_item(void)
{
    wire_tag(&wire, WIRE_ITEM, WIRE_GROUP_END);
}

static void put_id(uint64_t id)
{
    wire_uint(&wire, WIRE_ITEM_ID, id);
}

static void put_number(uint64_t number)
{
    size_t begun = wire_begin(&wire, WIRE_ITEM_MESSAGE);
    wire_uint(&wire, NUMBER, number);
    wire_end(&wire, begun);
}

static void put_content(const char *bytes, size_t size)
{
    wire_bytes(&wire, WIRE_ITEM_MESSAGE, bytes, size);
}

static void put_item(uint32_t id, uint64_t number)
{
    begin_item();
    put_id(id);
    put_number(number);
    end_item();
}

static void wrap_in_item(uint32_t id, bool message_first)
{
    static struct wire content;
    content = wire;
    wire_clear(&wire);
    begin_item();
    if (!message_first)
        put_id(id);
    wire_bytes(&wire, WIRE_ITEM_MESSAGE, content.bytes, content.size);
    if (message_first)
        put_id(id);
    end_item();
}

/* --- the meaning of an item ------------------------------------------------------------------- */

TEST_WITH(an_item_is_the_extension_of_its_number, open_set, close_decoding)
{
    put_item(LAST, 7);
    put_item(ITEM, 5);
    assert_decodes_as(*state, &wire,
                      "{\"[sluice.sets.Item.item]\":{\"number\":5},"
                      "\"[sluice.sets.last]\":{\"number\":7}}");
    assert_int_equal(((struct decoding *)*state)->unknown_fields, 0);
}

TEST_WITH(message_sets_stand_wherever_messages_do, open_holder, close_decoding)
{
    put_item(ITEM, 5);
    wire_wrap(&wire, SET, 1);
    wire_text(&wire, SETS, "");
    size_t begun = wire_begin(&wire, SETS);
    put_item(LAST, 6);
    wire_end(&wire, begun);
    begun = wire_begin(&wire, BY_NAME);
    wire_text(&wire, 1, "a");
    size_t value = wire_begin(&wire, 2);
    put_item(ITEM, 7);
    wire_end(&wire, value);
    wire_end(&wire, begun);
    assert_decodes_as(*state, &wire,
                      "{\"set\":{\"[sluice.sets.Item.item]\":{\"number\":5}},"
                      "\"sets\":[{},{\"[sluice.sets.last]\":{\"number\":6}}],"
                      "\"by_name\":{\"a\":{\"[sluice.sets.Item.item]\":{\"number\":7}}}}");
}

TEST_WITH(an_any_may_hold_a_message_set, open_known, close_decoding)
{
    static struct wire content;
    put_item(ITEM, 5);
    content = wire;
    wire_clear(&wire);
    wire_text(&wire, 1, "/sluice.sets.Set");
    wire_bytes(&wire, 2, content.bytes, content.size);
    wire_wrap(&wire, 16, 1);
    assert_decodes_as(*state, &wire,
                      "{\"any\":{\"@type\":\"/sluice.sets.Set\","
                      "\"[sluice.sets.Item.item]\":{\"number\":5}}}");
}

TEST_WITH(the_message_may_stand_before_the_number, open_set, close_decoding)
{
    begin_item();
    put_number(5);
    put_id(ITEM);
    end_item();
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.Item.item]\":{\"number\":5}}");
}

TEST_WITH(an_extension_may_stand_as_a_field, open_set, close_decoding)
{
    wire_uint(&wire, NUMBER, 5);
    wire_wrap(&wire, ITEM, 1);
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.Item.item]\":{\"number\":5}}");
}

TEST_WITH(items_of_one_number_are_merged, open_set, close_decoding)
{
    begin_item();
    put_id(ITEM);
    put_content("\x08\x05\x10\x01", 4);
    end_item();
    begin_item();
    put_content("\x10\x02", 2);
    put_id(ITEM);
    end_item();
    wire_bytes(&wire, ITEM, "\x10\x03", 2);
    assert_decodes_as(*state, &wire,
                      "{\"[sluice.sets.Item.item]\":{\"number\":5,\"list\":[1,2,3]}}");
}

TEST_WITH(a_message_set_given_twice_is_merged, open_holder, close_decoding)
{
    for (uint32_t i = 1; i <= 2; i++) {
        size_t begun = wire_begin(&wire, SET);
        begin_item();
        put_id(ITEM);
        put_content(i == 1 ? "\x10\x01" : "\x10\x02", 2);
        end_item();
        put_item(NOBODYS, i);
        wire_end(&wire, begun);
    }
    assert_decodes_as(*state, &wire, "{\"set\":{\"[sluice.sets.Item.item]\":{\"list\":[1,2]}}}");
    assert_int_equal(((struct decoding *)*state)->unknown_fields, 2);
}

/* --- items that are kept or dropped ----------------------------------------------------------- */

static void assert_shown(const struct decoding *decoding, const char *expected)
{
    static char text[4096];
    static const struct json_style style = {.show_unknown = true};
    struct output out = {.data = text, .capacity = sizeof text - 1};
    message_write_json(decoding->type, decoding->message, &style, NULL, &out);
    text[out.used] = '\0';
    assert_string_equal(text, expected);
}

TEST_WITH(an_item_of_an_unknown_number_is_an_unknown_field, open_set, close_decoding)
{
    struct decoding *decoding = *state;
    put_item(ITEM, 5);
    put_item(NOBODYS, 6);
    begin_item();
    put_content("\xff", 1); /* not decoded, because its type id is unknown */
    put_id(UINT32_MAX);
    end_item();
    wire_uint(&wire, NOBODYS, 7);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_int_equal(decoding->unknown_fields, 3);
    assert_shown(decoding, "{\"[sluice.sets.Item.item]\":{\"number\":5},\"@unknown\":["
                           "{\"number\":99,\"bytes\":\"CAY=\"},"
                           "{\"number\":4294967295,\"bytes\":\"/w==\"},"
                           "{\"number\":99,\"varint\":\"7\"}]}");
}

TEST_WITH(the_number_has_32_bits, open_set, close_decoding)
{
    begin_item();
    put_id((UINT64_C(1) << 32) + ITEM);
    put_number(5);
    end_item();
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.Item.item]\":{\"number\":5}}");
}

TEST_WITH(the_first_number_and_the_first_message_count, open_set, close_decoding)
{
    begin_item();
    put_id(ITEM);
    put_id(LAST);
    put_number(5);
    put_number(6);
    put_id(LAST);
    put_content("\xff", 1);
    end_item();
    begin_item();
    put_number(7);
    put_content("\xff", 1);
    put_id(LAST);
    put_id(ITEM);
    end_item();
    assert_decodes_as(*state, &wire,
                      "{\"[sluice.sets.Item.item]\":{\"number\":5},"
                      "\"[sluice.sets.last]\":{\"number\":7}}");
}

TEST_WITH(an_item_without_a_number_or_a_message_is_dropped, open_set, close_decoding)
{
    begin_item();
    end_item();
    begin_item();
    put_id(ITEM);
    end_item();
    begin_item();
    put_content("\xff", 1);
    end_item();
    assert_decodes_as(*state, &wire, "{}");
    assert_int_equal(((struct decoding *)*state)->unknown_fields, 0);
}

TEST_WITH(other_fields_of_an_item_are_dropped, open_set, close_decoding)
{
    begin_item();
    wire_uint(&wire, 77, 1);
    put_id(ITEM);
    wire_tag(&wire, 3, WIRE_GROUP_START);
    put_item(LAST, 1);
    wire_tag(&wire, 3, WIRE_GROUP_END);
    put_number(5);
    wire_text(&wire, WIRE_ITEM_ID, "text");
    end_item();
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.Item.item]\":{\"number\":5}}");
    assert_int_equal(((struct decoding *)*state)->unknown_fields, 0);
}

/*
 * In an item, a tag must have its shortest form, because Google's parser also compares only one
 * byte.
 */
TEST_WITH(longer_tags_than_need_be_are_of_other_fields_in_an_item, open_set, close_decoding)
{
    wire_raw(&wire, "\x8b\x00", 2); /* the tags that begin and end an item may be longer */
    wire_raw(&wire, "\x90\x00\x64", 3);
    put_number(5);
    wire_raw(&wire, "\x8c\x00", 2);
    begin_item();
    put_id(ITEM);
    wire_raw(&wire, "\x9a\x00\x01\xff", 4);
    put_number(6);
    end_item();
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.Item.item]\":{\"number\":6}}");
}

/* --- items that are refused ------------------------------------------------------------------- */

TEST_WITH(items_that_make_no_sense_are_malformed, open_set, close_decoding)
{
    static const struct {
        const char *bytes;
        size_t size;
    } wrong[] = {
        {"\x0b", 1},                             /* no end */
        {"\x0b\x10\x64\x1a\x00", 5},             /* type id and message, but no end */
        {"\x0b\x14", 2},                         /* the end of another group */
        {"\x0b\x00\x0c", 3},                     /* field number 0 */
        {"\x0b\x10", 2},                         /* no type id after its tag */
        {"\x0b\x10\xff\xff\xff\xff\xff\xff", 8}, /* half of a type id */
        {"\x0b\x1a\x05\x0c", 4},                 /* less than the length of the message */
        {"\x0b\x10\x64\x1a\x01\xff\x0c", 7},     /* the content is not a message */
        {"\x0b\x1a\x01\xff\x10\x64\x0c", 7},     /* the same, with the content before the type id */
        {"\x0b\x10\x64\x1a\x01\x0c\x0c", 7},     /* the content is an end tag */
        {"\x0b\x1a\x01\x0c\x10\x64\x0c", 7},     /* the same, with the content before the type id */
        {"\x0b\x10\x00\x1a\x00\x0c", 6},         /* type id 0 is invalid */
        {"\x0b\x1a\x00\x10\x00\x0c", 6},         /* the same, with the content first */
        {"\x0b\x10\x80\x80\x80\x80\x10\x1a\0\x0c", 10}, /* a type id of more than 31 bits */
        {"\x0b\x17\x0c", 3},                            /* an invalid wire type */
        {"\x0b\x2b\x0c", 3},                            /* contains a group without an end */
        {"\x0c", 1},                                    /* only an end */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        wire_clear(&wire);
        wire_raw(&wire, wrong[i].bytes, wrong[i].size);
        if (decoding_wire(*state, &wire) != DECODE_MALFORMED)
            fail_msg("item %zu is not malformed", i);
    }
}

TEST_WITH(the_message_of_an_item_needs_its_required_fields, open_set, close_decoding)
{
    for (int first = 0; first <= 1; first++) {
        wire_clear(&wire);
        wire_uint(&wire, 2, 1);
        wrap_in_item(NEEDS, first != 0);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
        begin_item(); /* the required field may come in another item of the same type id */
        put_id(NEEDS);
        put_content("\x08\x04", 2);
        end_item();
        assert_decodes_as(*state, &wire, "{\"[sluice.sets.needs]\":{\"must\":4,\"may\":1}}");
    }
}

TEST_WITH(text_in_an_item_is_checked_as_elsewhere, open_set, close_decoding)
{
    for (int first = 0; first <= 1; first++) {
        wire_clear(&wire);
        wire_text(&wire, 5, "\xff");
        wrap_in_item(MODERN, first != 0);
        assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    }
    wire_clear(&wire);
    wire_text(&wire, 5, "\xc3\xa9");
    wrap_in_item(MODERN, false);
    assert_decodes_as(*state, &wire, "{\"[sluice.sets.modern]\":{\"text\":\"\xc3\xa9\"}}");
}

/* --- limits ----------------------------------------------------------------------------------- */

static void assert_deepest(struct decoding *decoding, bool message_first, size_t sets)
{
    wire_clear(&wire);
    for (size_t i = 0; i < sets; i++)
        wrap_in_item(INNER, message_first);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    wrap_in_item(INNER, message_first);
    assert_decodes_to(decoding, &wire, DECODE_TOO_DEEP);
}

TEST_WITH(an_item_is_a_level_and_its_message_another, open_set, close_decoding)
{
    assert_deepest(*state, false, SCHEMA_MAX_DEPTH / 2);
}

/* Google's parser counts this level too. */
TEST_WITH(an_item_whose_message_comes_first_is_one_level, open_set, close_decoding)
{
    assert_deepest(*state, true, SCHEMA_MAX_DEPTH);
}

TEST_WITH(groups_in_an_item_count_as_levels, open_set, close_decoding)
{
    for (size_t levels = SCHEMA_MAX_DEPTH - 1; levels <= SCHEMA_MAX_DEPTH + 1; levels++) {
        wire_clear(&wire);
        begin_item();
        for (size_t i = 1; i < levels; i++)
            wire_tag(&wire, 5, WIRE_GROUP_START);
        for (size_t i = 1; i < levels; i++)
            wire_tag(&wire, 5, WIRE_GROUP_END);
        end_item();
        assert_decodes_to(*state, &wire, levels <= SCHEMA_MAX_DEPTH ? DECODE_OK : DECODE_TOO_DEEP);
    }
}

TEST_WITH(ten_thousand_items_are_bounded_by_the_arena, open_set, close_decoding)
{
    static const uint32_t ids[] = {ITEM, NOBODYS};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        wire_clear(&wire);
        for (int k = 0; k < 10000; k++)
            put_item(ids[i], 1);
        decoding_set_room(*state, DECODING_ROOM);
        assert_decodes_to(*state, &wire, DECODE_OK);
        decoding_set_room(*state, 4096);
        assert_decodes_to(*state, &wire, DECODE_TOO_LARGE);
    }
}

/* --- encoding --------------------------------------------------------------------------------- */

static void assert_encoded(struct decoding *decoding, const void *bytes, size_t size)
{
    static struct wire again;
    wire_clear(&again);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    decoding_encode(decoding, &again);
    assert_int_equal(again.size, size);
    assert_memory_equal(again.bytes, bytes, size);
}

TEST_WITH(extensions_and_unknown_numbers_go_out_as_items, open_set, close_decoding)
{
    static const char items[] = "\x0b\x10\x64\x1a\x02\x08\x05\x0c"
                                "\x0b\x10\xfe\xff\xff\xff\x07\x1a\x00\x0c"
                                "\x0b\x10\xff\xff\xff\xff\x0f\x1a\x01\xff\x0c";
    wire_raw(&wire, items, sizeof items - 1);
    assert_encoded(*state, items, sizeof items - 1);
}

TEST_WITH(a_field_goes_out_as_an_item, open_set, close_decoding)
{
    static const char items[] = "\x0b\x10\x64\x1a\x02\x08\x05\x0c\x0b\x10\x63\x1a\x01\x61\x0c";
    wire_bytes(&wire, ITEM, "\x08\x05", 2);
    wire_text(&wire, NOBODYS, "a");
    assert_encoded(*state, items, sizeof items - 1);
}

TEST_WITH(unknown_fields_that_no_item_can_hold_go_out_as_they_came, open_set, close_decoding)
{
    wire_uint(&wire, NOBODYS, 1);
    wire_fixed32(&wire, ITEM, 2);
    wire_tag(&wire, 5, WIRE_GROUP_START);
    wire_tag(&wire, 5, WIRE_GROUP_END);
    assert_encoded(*state, wire.bytes, wire.size);
}

TEST_WITH(message_sets_in_messages_have_their_length, open_holder, close_decoding)
{
    begin_item();
    put_id(ITEM);
    size_t begun = wire_begin(&wire, WIRE_ITEM_MESSAGE);
    size_t inside = wire_begin(&wire, ITEM_SET);
    put_item(LAST, 300);
    wire_end(&wire, inside);
    wire_end(&wire, begun);
    end_item();
    wire_wrap(&wire, SETS, 1);
    assert_encoded(*state, wire.bytes, wire.size);
}
