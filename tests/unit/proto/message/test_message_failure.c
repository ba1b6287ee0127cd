/* Tests errors for bytes that are not a message: cause, position, and field. */
#include <stdio.h>
#include <string.h>

#include "proto/message_schema.h"
#include "proto/schemas.h"
#include "tests/support/proto/legacy.h"
#include "tests/support/proto/random_message.h"
#include "tests/support/test.h"

struct hostile {
    const char *bytes;
    size_t size;
    const char *expected;
};

#define HOSTILE(bytes, expected)                                                                   \
    {                                                                                              \
        (bytes), sizeof(bytes) - 1, (expected)                                                     \
    }

static void assert_refused_for(struct decoding *decoding, const char *expected)
{
    char text[DECODE_FAILURE_TEXT_SIZE];
    if (decoding_wire(decoding, &wire) == DECODE_OK)
        fail_msg("it was accepted, not refused for \"%s\"", expected);
    assert_string_equal(decode_failure_text(&decoding->failure, text), expected);
}

static void assert_all_refused(struct decoding *decoding, const struct hostile *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wire_clear(&wire);
        wire_raw(&wire, all[i].bytes, all[i].size);
        assert_refused_for(decoding, all[i].expected);
    }
}

/* --- invalid messages of the built-in schemas ------------------------------------------------- */

TEST_WITH(hostile_telemetry_is_refused_with_offset_field_and_cause, open_telemetry, close_decoding)
{
    static const struct hostile all[] = {
        HOSTILE("\x07", "at byte 0: wire type 7 does not exist (field 0)"),
        HOSTILE("\x0e\x01", "at byte 0: wire type 6 does not exist (field sender_id)"),
        HOSTILE("\x18\x01\x9f\x06", "at byte 2: wire type 7 does not exist (field 99)"),
        HOSTILE("\x00\x01", "at byte 0: field number 0 does not exist (field 0)"),
        HOSTILE("\x18\x01\x88", "at byte 2: the bytes end inside a tag"),
        HOSTILE("\x80\x80\x80\x80\x80\x01", "at byte 0: a tag has more than 5 bytes"),
        HOSTILE("\x18", "at byte 1: the bytes end inside the value (field sequence)"),
        HOSTILE("\x18\xff\xff", "at byte 1: the bytes end inside the value (field sequence)"),
        HOSTILE("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                "at byte 1: a varint has more than 10 bytes (field sequence)"),
        HOSTILE("\x11\x01\x02\x03", "at byte 1: the bytes end inside the value (field boot_id)"),
        HOSTILE("\x0a\x05web", "at byte 1: a length of 5 bytes where 3 are left (field sender_id)"),
        HOSTILE("\x0a\xff\xff\xff\xff\xff\x01",
                "at byte 1: a length has more than 5 bytes (field sender_id)"),
        HOSTILE("\x0a\x80", "at byte 1: the bytes end inside the value (field sender_id)"),
        HOSTILE("\x0a\x04"
                "ab\xff"
                "c",
                "at byte 4: a string is not UTF-8 (field sender_id)"),
        HOSTILE("\x2a\x06\x0a\x01k\x12\x01\xc3",
                "at byte 7: a string is not UTF-8 (field labels.value)"),
        HOSTILE("\x32\x08\x0a\x01m\x19\x01\x02\x03\x04",
                "at byte 6: the bytes end inside the value (field samples.double_value)"),
        HOSTILE("\x32\x04\x0a\x01m\x0c",
                "at byte 5: a group ends that was not begun (field samples.1)"),
        HOSTILE("\x0c", "at byte 0: a group ends that was not begun (field 1)"),
        HOSTILE("\xa3\x06\x08\x01", "at byte 4: a group has no end (field 100)"),
        HOSTILE("\xa3\x06\x0b\x10\x01\x24\xa4\x06",
                "at byte 5: a group ends that was not begun (field 100.1.4)"),
        HOSTILE("\xa3\x06\x0b\x15\x01\x02\x03",
                "at byte 4: the bytes end inside the value (field 100.1.2)"),
    };
    assert_all_refused(*state, all, sizeof all / sizeof all[0]);
}

/* --- errors that only types from files can have ----------------------------------------------- */

TEST_WITH(hostile_groups_packed_lists_and_maps_are_refused_with_offset_field_and_cause, open_legacy,
          close_decoding)
{
    static const struct hostile all[] = {
        HOSTILE("\x23\x08\x07", "at byte 3: a group has no end (field pair)"),
        HOSTILE("\x23\x08\x07\x2c", "at byte 3: a group ends that was not begun (field pair.5)"),
        HOSTILE("\x23\x23\x08\x01\x2c",
                "at byte 4: a group ends that was not begun (field pair.deeper.5)"),
        HOSTILE("\x8a\x01\x05\x01\x02\x03\x04\x05",
                "at byte 7: the bytes end inside the value (field packed_list)"),
        HOSTILE("\x82\x01\x02\x01\xff", "at byte 4: the bytes end inside the value (field list)"),
        HOSTILE("\x7a\x04\x08\x01\x12\x02",
                "at byte 5: a length of 2 bytes where 0 are left (field by_number.value)"),
        HOSTILE("\x9b\x06\x0b", "at byte 3: a group has no end (field 99.1)"),
    };
    assert_all_refused(*state, all, sizeof all / sizeof all[0]);
}

TEST_WITH(a_missing_required_field_is_named_and_found_at_the_end, open_legacy, close_decoding)
{
    size_t child = wire_begin(&wire, CHILD);
    size_t needs = wire_begin(&wire, MANY_NEEDS);
    wire_uint(&wire, 2, 5);
    wire_end(&wire, needs);
    wire_end(&wire, child);
    wire_uint(&wire, NUMBER, 1);
    char expected[DECODE_FAILURE_TEXT_SIZE];
    snprintf(expected, sizeof expected,
             "at byte %zu: a required field is missing (field child.many_needs.must)", wire.size);
    assert_refused_for(*state, expected);
}

TEST_WITH(an_extension_stands_in_brackets, open_legacy, close_decoding)
{
    wire_tag(&wire, EXTRA_NEEDS, 2);
    wire_varint(&wire, 1);
    assert_refused_for(*state, "at byte 2: a length of 1 bytes where 0 are left "
                               "(field [sluice.legacy.extra_needs])");
}

/* --- limits ----------------------------------------------------------------------------------- */

TEST_WITH(too_many_levels_are_refused_where_the_first_one_too_many_begins, open_legacy,
          close_decoding)
{
    struct decoding *decoding = *state;
    wire_wrap(&wire, CHILD, SCHEMA_MAX_DEPTH + 1);
    assert_int_equal(decoding_wire(decoding, &wire), DECODE_TOO_DEEP);
    assert_int_equal(decoding->failure.cause, CAUSE_TOO_DEEP);
    assert_int_equal(decoding->failure.offset, wire.size - 3);
}

TEST_WITH(of_a_path_that_is_too_long_the_last_part_is_kept, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    wire_wrap(&wire, CHILD, SCHEMA_MAX_DEPTH + 1);
    decoding_wire(decoding, &wire);
    const char *field = decoding->failure.field;
    size_t size = strlen(field);
    assert_in_range(size, DECODE_FIELD_SIZE - 10, DECODE_FIELD_SIZE - 1);
    assert_memory_equal(field, "...child.child.", 15);
    assert_string_equal(field + size - 12, ".child.child");
}

TEST_WITH(what_the_arena_has_no_room_for_is_named, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    decoding_set_room(decoding, 2000);
    wire_uint(&wire, NUMBER, 1);
    for (int i = 0; i < 100; i++)
        wire_bytes(&wire, CHILDREN, "", 0);
    assert_int_equal(decoding_wire(decoding, &wire), DECODE_TOO_LARGE);
    assert_string_equal(decoding->failure.field, "children");
    assert_in_range(decoding->failure.offset, 2, wire.size - 1);
}

/* --- random messages -------------------------------------------------------------------------- */

#define MESSAGES 1000

/* decoding_wire asserts that a refused message has a cause, and that a valid one has none. */
static void decode_damaged(struct decoding *decoding, const struct message_type *type)
{
    struct random_message random = {.state = 4, .odd = true, .most = 400};
    size_t refused = 0;
    for (int i = 0; i < MESSAGES; i++) {
        wire_clear(&wire);
        random_message_put(&random, &wire, type, (unsigned)i % 5);
        random_message_damage(&random, &wire);
        if (i == MESSAGES * 3 / 4) /* the last quarter is decoded with little memory */
            decoding_set_room(decoding, 1000);
        refused += decoding_wire(decoding, &wire) != DECODE_OK;
    }
    assert_in_range(refused, MESSAGES / 20, MESSAGES);
}

TEST(every_damaged_message_that_is_refused_has_a_cause_within_it)
{
    static const char *const names[] = {"sluice.shapes.Tree", "sluice.modern.Modern",
                                        "sluice.legacy.Strict70", "sluice.legacy.Legacy"};
    void *opened;
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        decoding_set_up_schema(&opened, builtin_schemas[i]);
        struct decoding *decoding = opened;
        decode_damaged(decoding, ((const struct message_schema *)decoding->schema)->type);
        close_decoding(&opened);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        decoding_set_up_shape(&opened, names[i]);
        decode_damaged(opened, ((struct decoding *)opened)->type);
        close_decoding(&opened);
    }
}
