/* Tests paths to fields: their syntax, errors in them, and the values that they lead to. */
#include <string.h>

#include "proto/runtime/field_path.h"
#include "proto/runtime/field_value.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

static int open_legacy(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Legacy");
}

static int open_kinds(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Kinds");
}

static struct field_path parsed(const struct decoding *decoding, const char *text)
{
    struct field_path path;
    struct error error;
    if (!field_path_parse(decoding->type, text, strlen(text), &path, &error))
        fail_msg("%s: %s", text, error.text);
    return path;
}

static void assert_refused(const struct decoding *decoding, const char *text, const char *expected)
{
    struct field_path path;
    struct error error = {0};
    assert_false(field_path_parse(decoding->type, text, strlen(text), &path, &error));
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, expected) == NULL)
        fail_msg("%s: %s", text, error.text);
}

/* Asserts the text of the value at the end of the path. "-" means that there is no value. */
static void assert_leads_to(const struct decoding *decoding, const char *text, size_t element,
                            const char *expected)
{
    char room[256];
    struct output out = {.data = room, .capacity = sizeof room};
    struct field_path path = parsed(decoding, text);
    const struct field_place place = {{element, NO_ELEMENT, NO_ELEMENT, NO_ELEMENT}};
    const void *value = field_path_follow(&path, decoding->message, &place);
    if (value == NULL)
        output_char(&out, '-');
    else
        field_write_text(field_path_last(&path), value, &out);
    output_char(&out, '\0');
    assert_false(out.overflow);
    assert_string_equal(room, expected);
}

TEST_WITH(a_path_goes_through_messages_groups_and_extensions, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    size_t child = wire_begin(&wire, 18);
    wire_uint(&wire, 1, 5);
    wire_end(&wire, child);
    wire_tag(&wire, 103, 3);
    wire_uint(&wire, 1, 6);
    wire_tag(&wire, 103, 4);
    wire_bytes(&wire, 104, "\x12\x01t", 3);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_leads_to(decoding, "child.number", 0, "5");
    assert_leads_to(decoding, "[sluice.legacy.extended].x", 0, "6");
    assert_leads_to(decoding, "[sluice.legacy.Scope.nested_extra].text", 0, "t");
    assert_leads_to(decoding, "child.child.number", 0, "-");
    assert_leads_to(decoding, "text", 0, "-"); /* has presence, and is not set */
    assert_leads_to(decoding, "pair.left", 0, "-");
}

TEST_WITH(a_path_through_a_list_has_a_value_for_each_element, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct field_path path = parsed(decoding, "children.number");
    for (unsigned i = 0; i < 3; i++) {
        size_t child = wire_begin(&wire, 25);
        if (i != 1)
            wire_uint(&wire, 1, i);
        wire_end(&wire, child);
        wire_uint(&wire, 16, 7 + i);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    const struct field_place place = {{0}};
    assert_int_equal(path.list_count, 1);
    assert_int_equal(field_path_elements(&path, 0, decoding->message, &place), 3);
    assert_leads_to(decoding, "children.number", 0, "0");
    assert_leads_to(decoding, "children.number", 1, "-");
    assert_leads_to(decoding, "children.number", 2, "2");
    assert_leads_to(decoding, "children.number", 3, "-");
    assert_leads_to(decoding, "list", 2, "9");
    path = parsed(decoding, "child.list");
    assert_int_equal(field_path_elements(&path, 0, decoding->message, &place), 0);
    path = parsed(decoding, "number");
    assert_int_equal(path.list_count, 0);
}

TEST_WITH(a_path_through_nested_lists_has_a_place_for_each_inner_element, open_legacy,
          close_decoding)
{
    struct decoding *decoding = *state;
    struct field_path path = parsed(decoding, "children.list");
    for (unsigned i = 0; i < 3; i++) {
        size_t child = wire_begin(&wire, 25);
        for (unsigned k = 0; k < i; k++)
            wire_uint(&wire, 16, 10 * i + k);
        wire_end(&wire, child);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_int_equal(path.list_count, 2);
    for (size_t i = 0; i < 3; i++) {
        struct field_place place = {{i, NO_ELEMENT}};
        size_t count = field_path_elements(&path, 1, decoding->message, &place);
        assert_int_equal(count, i);
        for (size_t k = 0; k < count; k++) {
            place.elements[1] = k;
            const uint32_t *value = field_path_follow(&path, decoding->message, &place);
            assert_int_equal(*value, 10 * i + k);
        }
        place.elements[1] = count;
        assert_null(field_path_follow(&path, decoding->message, &place));
        place.elements[1] = NO_ELEMENT;
        assert_null(field_path_follow(&path, decoding->message, &place));
    }
    const struct field_place none = {{3, 0}};
    assert_int_equal(field_path_elements(&path, 1, decoding->message, &none), 0);
    assert_null(field_path_follow(&path, decoding->message, &none));
}

TEST_WITH(paths_whose_lists_lie_in_each_other_are_found, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct field_path number = parsed(decoding, "children.number");
    struct field_path text = parsed(decoding, "children.text");
    struct field_path inner = parsed(decoding, "children.list");
    struct field_path other = parsed(decoding, "children.children.text");
    struct field_path elsewhere = parsed(decoding, "child.children.text");
    struct field_path plain = parsed(decoding, "number");
    assert_true(field_path_same_lists(&number, &text));
    assert_true(field_path_same_lists(&number, &inner));
    assert_true(field_path_same_lists(&other, &number));
    assert_true(field_path_same_lists(&number, &plain));
    assert_false(field_path_same_lists(&inner, &other));
    assert_false(field_path_same_lists(&number, &elsewhere));
    assert_false(field_path_same_lists(&elsewhere, &number));
}

TEST_WITH(a_path_is_written_as_it_is_read, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    char room[FIELD_PATH_TEXT];
    struct field_path path = parsed(decoding, "children.[sluice.legacy.extended].x");
    assert_string_equal(field_path_text(&path, 3, room), "children.[sluice.legacy.extended].x");
    assert_string_equal(field_path_text(&path, 1, room), "children");
    assert_string_equal(field_path_text(&path, 0, room), "");
}

TEST_WITH(a_path_that_leads_nowhere_is_refused, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    assert_refused(decoding, "", "has no field \"\"");
    assert_refused(decoding, "nunber", "has no field \"nunber\"; did you mean \"number\"?");
    assert_refused(decoding, "child.nunber", "did you mean \"number\"?");
    assert_refused(decoding, "left", "has no field \"left\"; did you mean \"pair.left\"?");
    assert_refused(decoding, "child.may", "did you mean \"child.needs.may\"?");
    assert_refused(decoding, "child..number", "has no field \"\"");
    assert_refused(decoding, "child.", "nothing can follow \"child\"");
    assert_refused(decoding, "number.x", "nothing can follow \"number\"");
    assert_refused(decoding, "counts.valu", "has no field \"valu\"; did you mean \"value\"?");
    assert_refused(decoding, "[sluice.legacy.extended]x", "nothing can follow");
    assert_refused(decoding, "sluice.legacy.extra", "has no field \"sluice\"");
    assert_refused(decoding, "[no.such]", "has no field");
    assert_refused(decoding, "[sluice.legacy.extra", "has no field");
    assert_refused(decoding, "children.children.children.children.list",
                   "\"list\" is one repeated field too many on the way; there can be 4");
    char long_path[200] = "child";
    for (int i = 0; i < FIELD_PATH_STEPS; i++)
        strcat(long_path, ".child");
    assert_refused(decoding, long_path, "more than 16 steps");
}

TEST_WITH(a_path_through_a_map_has_a_place_for_each_entry, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    for (unsigned i = 0; i < 2; i++) {
        size_t entry = wire_begin(&wire, 26);
        wire_text(&wire, 1, i == 0 ? "a" : "b");
        if (i == 0)
            wire_uint(&wire, 2, 7);
        wire_end(&wire, entry);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_leads_to(decoding, "counts.key", 0, "a");
    assert_leads_to(decoding, "counts.value", 0, "7");
    assert_leads_to(decoding, "counts.key", 1, "b");
    assert_leads_to(decoding, "counts.value", 1, "0");
    assert_leads_to(decoding, "counts.value", 2, "-");
}

/*
 * A map as the last step counts as a single value, not as a list. So field_path_follow ends at the
 * message that contains the map.
 */
TEST_WITH(a_path_may_end_with_a_map, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct field_path path = parsed(decoding, "child.counts");
    assert_true(field_path_last(&path)->map);
    wire_wrap(&wire, 18, 1);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct field_path child = parsed(decoding, "child");
    assert_ptr_equal(field_path_follow(&path, decoding->message, NULL),
                     *(void *const *)field_path_follow(&child, decoding->message, NULL));
}

TEST_WITH(values_are_written_as_plain_text, open_kinds, close_decoding)
{
    struct decoding *decoding = *state;
    wire_double(&wire, 1, 0.1);
    wire_float(&wire, 2, 0.1F);
    wire_uint(&wire, 3, (uint64_t)-3);
    wire_uint(&wire, 6, UINT64_MAX);
    wire_sint(&wire, 8, INT64_MIN);
    wire_fixed32(&wire, 9, UINT32_MAX);
    wire_uint(&wire, 13, 1);
    wire_text(&wire, 14, "a \"b\"");
    wire_uint(&wire, 16, 1);
    wire_double(&wire, 31, -1.0 / 0.0);
    wire_uint(&wire, 46, 99);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_leads_to(decoding, "a_double", 0, "0.1");
    assert_leads_to(decoding, "a_float", 0, "0.1");
    assert_leads_to(decoding, "an_int32", 0, "-3");
    assert_leads_to(decoding, "a_uint64", 0, "18446744073709551615");
    assert_leads_to(decoding, "a_sint64", 0, "-9223372036854775808");
    assert_leads_to(decoding, "a_fixed32", 0, "4294967295");
    assert_leads_to(decoding, "a_bool", 0, "true");
    assert_leads_to(decoding, "a_string", 0, "a \"b\"");
    assert_leads_to(decoding, "a_colour", 0, "RED");
    assert_leads_to(decoding, "doubles", 0, "-Infinity");
    assert_leads_to(decoding, "colours", 0, "99");
    assert_leads_to(decoding, "an_int64", 0, "0"); /* without presence, so it always has a value */
}
