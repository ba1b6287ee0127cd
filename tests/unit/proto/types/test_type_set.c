/* Tests types from descriptor sets: the features of editions, and sets that are refused. */
#include <stdio.h>
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/json.h"
#include "proto/types/type_set.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/set_writing.h"
#include "tests/support/test.h"

enum { GROUP_START = 3, GROUP_END = 4 };

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

static struct wire set;

static int clear_set(void **state)
{
    (void)state;
    wire_clear(&set);
    return 0;
}

/* --- editions --------------------------------------------------------------------------------- */

/*
 * Makes a file of edition 2023 with a message E and an enum. The file, the message, the fields and
 * the enum have the given features. E has a field of each kind.
 */
static void open_edition(void **state, struct features_written file_features,
                         struct features_written message_features,
                         struct features_written field_features,
                         struct features_written enum_features)
{
    wire_clear(&set);
    size_t file = begin_file(&set, "e.proto", "e", "editions", EDITION_2023);
    put_file_features(&set, file_features);
    put_enum(&set, "Enum", 2, enum_features);
    size_t message = begin_message(&set, "E");
    put_message_features(&set, message_features);
    put_field(&set, (struct field_written){.name = "number",
                                           .number = 1,
                                           .label = LABEL_OPTIONAL,
                                           .type = KIND_INT32,
                                           .features = field_features});
    put_field(&set, (struct field_written){.name = "list",
                                           .number = 2,
                                           .label = LABEL_REPEATED,
                                           .type = KIND_INT32,
                                           .features = {.repeated = field_features.repeated}});
    put_field(&set, (struct field_written){.name = "text",
                                           .number = 3,
                                           .label = LABEL_OPTIONAL,
                                           .type = KIND_STRING,
                                           .features = {.utf8 = field_features.utf8}});
    put_field(&set, (struct field_written){.name = "choice",
                                           .number = 4,
                                           .label = LABEL_OPTIONAL,
                                           .type = KIND_ENUM,
                                           .type_name = ".e.Enum"});
    put_field(&set, (struct field_written){.name = "child",
                                           .number = 5,
                                           .label = LABEL_OPTIONAL,
                                           .type = KIND_MESSAGE,
                                           .type_name = ".e.E",
                                           .features = {.message = field_features.message}});
    wire_end(&set, message);
    wire_end(&set, file);
    assert_int_equal(decoding_set_up_set(state, set.bytes, set.size, "e.E"), 0);
}

static const struct features_written none;

static const struct field_type *field_of(void **state, uint32_t number)
{
    struct decoding *decoding = *state;
    return message_type_find(decoding->type, number);
}

TEST_WITH(edition_2023_has_presence_open_enums_packed_lists_and_checked_text, clear_set, NULL)
{
    open_edition(state, none, none, none, none);
    wire_uint(&wire, 1, 0);
    wire_bytes(&wire, 2, "\1\2", 2);
    wire_uint(&wire, 4, 77);
    wire_bytes(&wire, 5, "", 0);
    assert_decodes_as(*state, &wire, "{\"number\":0,\"list\":[1,2],\"choice\":77,\"child\":{}}");
    static struct wire again;
    wire_clear(&again);
    decoding_encode(*state, &again);
    assert_int_equal(again.size, wire.size);
    assert_memory_equal(again.bytes, wire.bytes, wire.size);
    wire_text(&wire, 3, "\xff");
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    close_decoding(state);
}

TEST_WITH(presence_is_decided_by_the_field_then_the_message_then_the_file, clear_set, NULL)
{
    static const struct features_written explicit = {.presence = 1};
    static const struct features_written implicit = {.presence = 2};
    static const struct features_written required = {.presence = 3};
    open_edition(state, implicit, none, none, none);
    assert_int_equal(field_of(state, 1)->presence, PRESENCE_IMPLICIT);
    assert_int_equal(field_of(state, 5)->presence, PRESENCE_POINTER);
    close_decoding(state);
    open_edition(state, implicit, explicit, none, none);
    assert_int_equal(field_of(state, 1)->presence, PRESENCE_FLAG);
    close_decoding(state);
    open_edition(state, explicit, explicit, implicit, none);
    assert_int_equal(field_of(state, 1)->presence, PRESENCE_IMPLICIT);
    assert_int_equal(field_of(state, 3)->presence, PRESENCE_FLAG);
    close_decoding(state);
    open_edition(state, none, none, required, none);
    assert_int_equal(field_of(state, 1)->presence, PRESENCE_REQUIRED);
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    wire_uint(&wire, 1, 0);
    assert_decodes_as(*state, &wire, "{\"number\":0}");
    close_decoding(state);
}

TEST_WITH(an_enum_is_closed_by_its_own_feature_or_the_files, clear_set, NULL)
{
    static const struct features_written open = {.enums = 1};
    static const struct features_written closed = {.enums = 2};
    open_edition(state, none, none, none, closed);
    assert_true(field_of(state, 4)->closed);
    wire_uint(&wire, 4, 77);
    assert_decodes_as(*state, &wire, "{}");
    close_decoding(state);
    open_edition(state, closed, none, none, none);
    assert_true(field_of(state, 4)->closed);
    close_decoding(state);
    open_edition(state, closed, none, none, open);
    assert_false(field_of(state, 4)->closed);
    close_decoding(state);
}

TEST_WITH(lists_are_packed_unless_a_feature_expands_them, clear_set, NULL)
{
    static const struct features_written packed = {.repeated = 1};
    static const struct features_written expanded = {.repeated = 2};
    open_edition(state, none, none, none, none);
    assert_true(field_of(state, 2)->packed);
    close_decoding(state);
    open_edition(state, expanded, none, none, none);
    assert_false(field_of(state, 2)->packed);
    assert_true(field_of(state, 2)->packable);
    close_decoding(state);
    open_edition(state, expanded, none, packed, none);
    assert_true(field_of(state, 2)->packed);
    close_decoding(state);
}

TEST_WITH(text_is_checked_unless_a_feature_says_no, clear_set, NULL)
{
    static const struct features_written verify = {.utf8 = 2};
    static const struct features_written unchecked = {.utf8 = 3};
    open_edition(state, unchecked, none, none, none);
    wire_text(&wire, 3, "\xff");
    assert_decodes_to(*state, &wire, DECODE_OK);
    close_decoding(state);
    open_edition(state, unchecked, none, verify, none);
    wire_text(&wire, 3, "\xff");
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    close_decoding(state);
}

TEST_WITH(a_delimited_message_is_a_group, clear_set, NULL)
{
    static const struct features_written prefixed = {.message = 1};
    static const struct features_written delimited = {.message = 2};
    open_edition(state, none, none, delimited, none);
    wire_tag(&wire, 5, GROUP_START);
    wire_uint(&wire, 1, 1);
    wire_tag(&wire, 5, GROUP_END);
    assert_decodes_as(*state, &wire, "{\"child\":{\"number\":1}}");
    static struct wire again;
    wire_clear(&again);
    decoding_encode(*state, &again);
    assert_int_equal(again.size, wire.size);
    assert_memory_equal(again.bytes, wire.bytes, wire.size);
    close_decoding(state);
    open_edition(state, delimited, none, prefixed, none);
    wire_bytes(&wire, 5, "\x08\x01", 2);
    assert_decodes_as(*state, &wire, "{\"child\":{\"number\":1}}");
    close_decoding(state);
}

/*
 * The file declares that messages are delimited (encoded as groups). Maps and their values must not
 * be.
 */
TEST_WITH(maps_are_never_delimited, clear_set, NULL)
{
    size_t file = begin_file(&set, "e.proto", "e", "editions", EDITION_2023);
    put_file_features(&set, (struct features_written){.message = 2});
    size_t message = begin_message(&set, "E");
    put_field(&set, (struct field_written){.name = "map",
                                           .number = 1,
                                           .label = LABEL_REPEATED,
                                           .type = KIND_MESSAGE,
                                           .type_name = ".e.E.MapEntry"});
    size_t entry = begin_nested(&set, "MapEntry");
    wire_bytes(&set, 7, "\x38\x01", 2); /* map_entry */
    put_field(&set, (struct field_written){
                        .name = "key", .number = 1, .label = LABEL_OPTIONAL, .type = KIND_INT32});
    put_field(&set, (struct field_written){.name = "value",
                                           .number = 2,
                                           .label = LABEL_OPTIONAL,
                                           .type = KIND_MESSAGE,
                                           .type_name = ".e.E"});
    wire_end(&set, entry);
    wire_end(&set, message);
    wire_end(&set, file);
    assert_int_equal(decoding_set_up_set(state, set.bytes, set.size, "e.E"), 0);
    wire_bytes(&wire, 1, "\x08\x01\x12\x00", 4);
    assert_decodes_as(*state, &wire, "{\"map\":{\"1\":{}}}");
    close_decoding(state);
}

/* --- lookups ---------------------------------------------------------------------------------- */

TEST_WITH(types_are_found_by_their_full_name, clear_set, NULL)
{
    (void)state;
    struct type_set *shapes;
    struct error error;
    assert_int_equal(type_set_load("shapes", shapes_set, shapes_set_size, NULL, &shapes, &error),
                     0);
    static const char *const names[] = {"sluice.shapes.Tree", "sluice.legacy.Legacy.Pair.Deeper",
                                        "google.protobuf.Struct.FieldsEntry",
                                        /* "1Entry" is the type of the entries of the map "_1". */
                                        "sluice.modern.Modern.1Entry"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct message_type *type = type_set_find(shapes, names[i], strlen(names[i]));
        assert_non_null(type);
        assert_string_equal(type->descriptor->name, names[i]);
        assert_ptr_equal(type->set, shapes);
        assert_null(type_set_find(shapes, names[i], strlen(names[i]) - 1));
    }
    assert_null(type_set_find(shapes, "", 0));
    assert_null(type_set_find(shapes, NULL, 0));
    /* The bytes of `longer` after the name are 0, so only the length makes the name differ. */
    for (size_t length = 19; length <= 60; length++) {
        char longer[60] = "sluice.shapes.Tree";
        assert_null(type_set_find(shapes, longer, length));
    }
    type_set_destroy(shapes);
    type_set_destroy(NULL);
}

/* --- fields with a changed type --------------------------------------------------------------- */

#define LEGACY "sluice.legacy.Legacy"

static enum decode_result decode_changed(const struct field_change *change, const void *bytes,
                                         size_t size, char json[256])
{
    static uint8_t memory[4096];
    static const struct json_style style = {.proto_names = true};
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct output out = {.data = json, .capacity = 255};
    struct type_set *changed;
    struct decoded decoded;
    struct error error;
    if (type_set_load_changed("shapes", shapes_set, shapes_set_size, NULL, change, 1, &changed,
                              &error) != 0)
        fail_msg("%s", error.text);
    const struct message_type *type = type_set_find(changed, LEGACY, strlen(LEGACY));
    enum decode_result result = message_decode(type, bytes, size, 100, &arena, &decoded);
    if (result == DECODE_OK)
        message_write_json(type, decoded.message, &style, NULL, &out);
    json[out.used] = '\0';
    type_set_destroy(changed);
    return result;
}

TEST_WITH(bytes_may_be_hexadecimal, clear_set, NULL)
{
    (void)state;
    char json[256];
    struct field_change change = {.message = LEGACY, .field = "data", .hex = true};
    static const char bytes[] = {0x1a, 2, 8, 0x7f};
    assert_int_equal(decode_changed(&change, bytes, sizeof bytes, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":\"087f\"}");
    change.field = "no_such"; /* a field that does not exist has no effect */
    assert_int_equal(decode_changed(&change, bytes, sizeof bytes, json), DECODE_OK);
    assert_string_equal(json, "{\"data\":\"CH8=\"}");
}

TEST_WITH(a_change_of_a_field_that_is_not_bytes_is_refused, clear_set, NULL)
{
    (void)state;
    static const struct field_change change = {.message = LEGACY, .field = "text", .hex = true};
    struct type_set *changed;
    struct error error = {0};
    assert_int_equal(type_set_load_changed("shapes", shapes_set, shapes_set_size, NULL, &change, 1,
                                           &changed, &error),
                     -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, "shapes: \"text\" of \"" LEGACY "\" is not a bytes field");
}

/* --- sets that are refused -------------------------------------------------------------------- */

/*
 * Asserts that the set, or message p.M in it, is refused with an error of one line that contains
 * `expected`.
 */
#define assert_refused(expected) assert_refused_at((expected), __LINE__)
static void assert_refused_at(const char *expected, int line)
{
    struct type_set *made = NULL;
    struct error error = {0};
    int result = type_set_load("the.set", set.bytes, set.size, NULL, &made, &error);
    bool loaded = result == 0;
    if (loaded && type_set_require(made, "p.M", &error) == NULL)
        result = -1;
    if (result == 0)
        fail_msg("line %d: not refused", line);
    if (loaded)
        type_set_destroy(made);
    else if (strncmp(error.text, "the.set: ", 9) != 0)
        fail_msg("line %d: whose error is this? %s", line, error.text);
    if (error.code != EXIT_CODE_CONFIG || strstr(error.text, expected) == NULL ||
        strpbrk(error.text, "\n\r\t\x7f") != NULL)
        fail_msg("line %d: %d, %s", line, (int)error.code, error.text);
}

static void assert_loaded(void)
{
    struct type_set *made = NULL;
    struct error error;
    if (type_set_load("the.set", set.bytes, set.size, NULL, &made, &error) != 0)
        fail_msg("%s", error.text);
    type_set_destroy(made);
}

/* The handles with which wire_end() ends the file "f.proto" of package p, and message M in it. */
static size_t file_begun, message_begun;

static void begin_p_m(void)
{
    wire_clear(&set);
    file_begun = begin_file(&set, "f.proto", "p", "proto2", 0);
    message_begun = begin_message(&set, "M");
}

static void end_p_m(void)
{
    wire_end(&set, message_begun);
    wire_end(&set, file_begun);
}

static void put_plain(const char *name, int32_t number, int label, int type, const char *type_name)
{
    put_field(
        &set,
        (struct field_written){
            .name = name, .number = number, .label = label, .type = type, .type_name = type_name});
}

/* Makes message p.M, which has one field with a default. */
static void begin_default(int type, const char *text)
{
    begin_p_m();
    put_field(&set, (struct field_written){.name = "number",
                                           .number = 1,
                                           .label = LABEL_OPTIONAL,
                                           .type = type,
                                           .default_value = text});
    end_p_m();
}

TEST_WITH(a_default_outside_of_the_range_of_its_field_is_refused, clear_set, NULL)
{
    (void)state;
    static const struct {
        int type;
        const char *least, *most, *below, *above;
    } kinds[] = {
        {KIND_INT32, "-2147483648", "2147483647", "-2147483649", "2147483648"},
        {KIND_SFIXED32, "-2147483648", "2147483647", "-99999999999", "4294967296"},
        {KIND_SINT64, "-9223372036854775808", "9223372036854775807", "-9223372036854775809",
         "9223372036854775808"},
        {KIND_UINT32, "0", "4294967295", "-1", "4294967296"},
        {KIND_FIXED64, "0", "18446744073709551615", "-1", "18446744073709551616"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        begin_default(kinds[i].type, kinds[i].least);
        assert_loaded();
        begin_default(kinds[i].type, kinds[i].most);
        assert_loaded();
        begin_default(kinds[i].type, kinds[i].below);
        assert_refused("has an invalid default");
        begin_default(kinds[i].type, kinds[i].above);
        assert_refused("has an invalid default");
    }
}

/* Such a default becomes infinite, 0 or subnormal, as in protobuf's C++ library. */
TEST_WITH(a_default_that_is_too_large_or_small_for_a_fraction_is_valid, clear_set, NULL)
{
    (void)state;
    static const char *const texts[] = {"1e+50", "1e-42", "1e-60", "1e+400", "-1e-400"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        begin_default(KIND_FLOAT, texts[i]);
        assert_loaded();
        begin_default(KIND_DOUBLE, texts[i]);
        assert_loaded();
    }
}

TEST_WITH(bytes_that_are_no_set_are_refused, clear_set, NULL)
{
    (void)state;
    static const char *const texts[] = {"", "syntax = \"proto3\";\n", "\177ELF\x02\x01\x01",
                                        "\x0a\x05\x0a\x01"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        wire_clear(&set);
        wire_raw(&set, texts[i], strlen(texts[i]));
        assert_refused("no descriptor set");
    }
    wire_clear(&set);
    wire_raw(&set, shapes_set, shapes_set_size - 1);
    assert_refused("no descriptor set");
}

TEST_WITH(a_set_without_an_import_is_refused_by_name, clear_set, NULL)
{
    (void)state;
    wire_clear(&set);
    size_t file = begin_file(&set, "f.proto", "p", "proto3", 0);
    put_import(&set, "google/protobuf/any.proto");
    wire_end(&set, file);
    assert_refused("\"google/protobuf/any.proto\" is missing, which \"f.proto\" imports");
}

TEST_WITH(a_message_that_the_set_lacks_is_refused_with_the_nearest, clear_set, NULL)
{
    (void)state;
    wire_clear(&set);
    size_t file = begin_file(&set, "f.proto", "p", "proto3", 0);
    wire_end(&set, begin_message(&set, "N"));
    wire_end(&set, file);
    assert_refused("no message \"p.M\"; did you mean \"p.N\"?");
}

TEST_WITH(unknown_syntaxes_and_editions_are_refused_by_name, clear_set, NULL)
{
    (void)state;
    static const struct {
        const char *syntax, *expected;
        int32_t edition;
    } unknown[] = {
        {"editions", "\"f.proto\" is written in edition 2026, which", EDITION_2023 + 2},
        {"editions", "edition number 1003", EDITION_2023 + 3},
        {"editions", "edition number 0", 0},
        {"editions", "edition number 998", 998},
        {"editions", "edition number 2147483647", INT32_MAX},
        {"editions", "edition number -1", -1},
        {"proto4", "syntax \"proto4\"", 0},
        {"pro\nto", "syntax \"pro?to\"", 0},
        {"a syntax of a name that does not end so soon", "syntax \"a syntax of a name that", 0},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        wire_clear(&set);
        size_t file = begin_file(&set, "f.proto", "p", unknown[i].syntax, unknown[i].edition);
        wire_end(&set, begin_message(&set, "M"));
        wire_end(&set, file);
        assert_refused(unknown[i].expected);
    }
}

TEST_WITH(edition_2024_is_as_edition_2023_in_bytes_and_in_json, clear_set, NULL)
{
    wire_clear(&set);
    size_t file = begin_file(&set, "f.proto", "p", "editions", EDITION_2023 + 1);
    size_t message = begin_message(&set, "M");
    put_plain("number", 1, LABEL_OPTIONAL, KIND_INT32, NULL);
    put_plain("list", 2, LABEL_REPEATED, KIND_INT32, NULL);
    put_plain("text", 3, LABEL_OPTIONAL, KIND_STRING, NULL);
    wire_end(&set, message);
    wire_end(&set, file);
    assert_int_equal(decoding_set_up_set(state, set.bytes, set.size, "p.M"), 0);
    wire_clear(&wire);
    wire_uint(&wire, 1, 0);
    wire_bytes(&wire, 2, "\1\2", 2);
    assert_decodes_as(*state, &wire, "{\"number\":0,\"list\":[1,2]}");
    wire_text(&wire, 3, "\xff");
    assert_decodes_to(*state, &wire, DECODE_MALFORMED);
    close_decoding(state);
}

static void put_new_file(void)
{
    size_t file = begin_file(&set, "new.proto", "new", "editions", EDITION_2023 + 2);
    put_enum(&set, "Enum", 2, none);
    wire_end(&set, begin_message(&set, "Message"));
    put_extension(&set, ".p.Extended",
                  (struct field_written){
                      .name = "ext", .number = 100, .label = LABEL_OPTIONAL, .type = KIND_INT32});
    wire_end(&set, file);
}

static void put_message_with(const char *name, int type, const char *type_name)
{
    size_t message = begin_message(&set, name);
    put_plain("field", 1, LABEL_OPTIONAL, type, type_name);
    wire_end(&set, message);
}

TEST_WITH(an_unknown_edition_refuses_only_messages_that_contain_its_types, clear_set, NULL)
{
    (void)state;
    struct type_set *made;
    struct error error;
    wire_clear(&set);
    put_new_file();
    size_t file = begin_file(&set, "p.proto", "p", "proto3", 0);
    put_message_with("Plain", KIND_INT32, NULL);
    put_message_with("Around", KIND_MESSAGE, ".p.Inside");
    put_message_with("Inside", KIND_MESSAGE, ".new.Message");
    put_message_with("WithEnum", KIND_ENUM, ".new.Enum");
    put_message_with("Extended", KIND_INT32, NULL);
    put_message_with("Circle", KIND_MESSAGE, ".p.Circle");
    wire_end(&set, file);
    assert_int_equal(type_set_load("s.desc", set.bytes, set.size, NULL, &made, &error), 0);
    assert_non_null(type_set_require(made, "p.Plain", &error));
    assert_non_null(type_set_require(made, "p.Circle", &error));
    static const char *const refused[] = {"p.Around", "p.Inside", "p.WithEnum", "p.Extended",
                                          "new.Message"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "message \"%s\": \"new.proto\" is written in edition 2026, which is not supported",
                 refused[i]);
        assert_null(type_set_require(made, refused[i], &error));
        assert_string_equal(error.text, expected);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        assert_null(type_set_find(made, refused[i], strlen(refused[i])));
    }
    type_set_destroy(made);
}

static void put_numbered_extension(const char *name, int32_t number)
{
    put_extension(&set, ".p.M",
                  (struct field_written){
                      .name = name, .number = number, .label = LABEL_OPTIONAL, .type = KIND_INT32});
}

TEST_WITH(of_extensions_with_one_number_the_first_counts_and_a_warning_names_both, clear_set, NULL)
{
    (void)state;
    struct type_set *made;
    struct error error;
    size_t more = 9;
    begin_p_m();
    wire_end(&set, message_begun);
    put_numbered_extension("b", 100);
    put_numbered_extension("a", 100);
    put_numbered_extension("d", 100);
    put_numbered_extension("c", 101);
    wire_end(&set, file_begun);
    assert_int_equal(type_set_load("s.desc", set.bytes, set.size, NULL, &made, &error), 0);
    const struct message_type *type = type_set_require(made, "p.M", &error);
    assert_int_equal(type->field_count, 2);
    assert_string_equal(message_type_find(type, 100)->descriptor->name, "p.b");
    assert_string_equal(message_type_find(type, 101)->descriptor->name, "p.c");
    assert_string_equal(type_set_warning(made, &more),
                        "the extensions \"p.b\" and \"p.a\" of \"p.M\" have the same number 100; "
                        "the first counts");
    assert_int_equal(more, 1);
    type_set_destroy(made);
    assert_int_equal(type_set_load("s.desc", shapes_set, shapes_set_size, NULL, &made, &error), 0);
    assert_null(type_set_warning(made, &more));
    type_set_destroy(made);
}

TEST_WITH(names_that_are_none_are_refused, clear_set, NULL)
{
    (void)state;
    static const char *const names[] = {"", "a.b", "a b", "a\nb", "\xc3\xa9", "a\"", "a-b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        wire_clear(&set);
        size_t file = begin_file(&set, "f.proto", "p", NULL, 0);
        wire_end(&set, begin_message(&set, names[i]));
        wire_end(&set, file);
        assert_refused("not a valid name");
        begin_p_m();
        put_plain(names[i], 1, LABEL_OPTIONAL, KIND_INT32, NULL);
        end_p_m();
        assert_refused("not a valid name");
        wire_clear(&set);
        file = begin_file(&set, "f.proto", "p", NULL, 0);
        put_enum(&set, names[i], 1, none);
        wire_end(&set, file);
        assert_refused("not a valid name");
        wire_clear(&set);
        file = begin_file(&set, "f.proto", i == 1 ? "a..b" : i == 0 ? "." : names[i], NULL, 0);
        wire_end(&set, file);
        assert_refused("the package of \"f.proto\" is not a valid name");
    }
}

TEST_WITH(what_is_there_twice_is_refused, clear_set, NULL)
{
    (void)state;
    begin_p_m();
    wire_end(&set, message_begun);
    wire_end(&set, begin_message(&set, "M"));
    wire_end(&set, file_begun);
    assert_refused("\"p.M\" is defined twice");
    begin_p_m();
    wire_end(&set, message_begun);
    put_enum(&set, "E", 1, none);
    put_enum(&set, "E", 1, none);
    wire_end(&set, file_begun);
    assert_refused("\"p.E\" is defined twice");
    begin_p_m();
    put_plain("a", 5, LABEL_OPTIONAL, KIND_INT32, NULL);
    put_plain("b", 5, LABEL_OPTIONAL, KIND_INT32, NULL);
    end_p_m();
    assert_refused("of \"p.M\" have the same number");
    begin_p_m();
    put_plain("a", 5, LABEL_OPTIONAL, KIND_INT32, NULL);
    put_plain("a", 6, LABEL_OPTIONAL, KIND_INT32, NULL);
    end_p_m();
    assert_refused("\"p.M\" has two fields \"a\"");
    begin_p_m();
    put_plain("a", 5, LABEL_OPTIONAL, KIND_INT32, NULL);
    wire_end(&set, message_begun);
    put_extension(&set, ".p.M",
                  (struct field_written){
                      .name = "ext", .number = 5, .label = LABEL_OPTIONAL, .type = KIND_INT32});
    wire_end(&set, file_begun);
    assert_refused("of \"p.M\" have the same number");
}

TEST_WITH(fields_that_make_no_sense_are_refused, clear_set, NULL)
{
    (void)state;
    static const struct {
        struct field_written field;
        const char *expected;
    } bad[] = {
        {{"a", 0, 1, KIND_INT32, NULL, 0, {0}, NULL}, "\"a\" of \"p.M\" has an invalid number"},
        {{"a", -1, 1, KIND_INT32, NULL, 0, {0}, NULL}, "has an invalid number"},
        {{"a", 536870912, 1, KIND_INT32, NULL, 0, {0}, NULL}, "has an invalid number"},
        {{"a", 1, 0, KIND_INT32, NULL, 0, {0}, NULL}, "has an invalid label"},
        {{"a", 1, 4, KIND_INT32, NULL, 0, {0}, NULL}, "has an invalid label"},
        {{"a", 1, 1, KIND_END, NULL, 0, {0}, NULL}, "has an invalid type"},
        {{"a", 1, 1, -1, NULL, 0, {0}, NULL}, "has an invalid type"},
        {{"a", 1, 1, 0, NULL, 0, {0}, NULL}, "is of type \"\", which is not in it"},
        {{"a", 1, 1, KIND_MESSAGE, ".p.No", 0, {0}, NULL},
         "is of type \".p.No\", which is not in it"},
        {{"a", 1, 1, KIND_ENUM, ".p.M", 0, {0}, NULL}, "is of type \".p.M\", which is not in it"},
        {{"a", 1, 1, KIND_GROUP, ".p.E", 0, {0}, NULL}, "is of type \".p.E\", which is not in it"},
        {{"a", 1, 1, KIND_MESSAGE, ".p\n.M", 0, {0}, NULL}, "is of type \".p?.M\""},
        {{"a", 1, 1, KIND_INT32, NULL, 3, {0}, NULL}, "is in an invalid oneof"},
        {{"a", 1, 1, KIND_INT32, NULL, -5, {0}, NULL}, "is in an invalid oneof"},
        {{"a", 1, 3, KIND_INT32, NULL, 1, {0}, NULL}, "is in an invalid oneof"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        begin_p_m();
        put_oneof(&set, "choice");
        put_field(&set, bad[i].field);
        wire_end(&set, message_begun);
        put_enum(&set, "E", 1, none);
        wire_end(&set, file_begun);
        assert_refused(bad[i].expected);
    }
}

TEST_WITH(an_enum_without_values_is_refused, clear_set, NULL)
{
    (void)state;
    wire_clear(&set);
    size_t file = begin_file(&set, "f.proto", "p", NULL, 0);
    put_enum(&set, "E", 0, none);
    wire_end(&set, file);
    assert_refused("enum \"p.E\" has no values");
}

TEST_WITH(an_extension_of_nothing_is_refused, clear_set, NULL)
{
    (void)state;
    begin_p_m();
    wire_end(&set, message_begun);
    put_extension(&set, ".p.No",
                  (struct field_written){
                      .name = "ext", .number = 1, .label = LABEL_OPTIONAL, .type = KIND_INT32});
    wire_end(&set, file_begun);
    assert_refused("\"p.ext\" extends \".p.No\", which is not in it");
}

static void put_entry_of(int map_label, int map_type, int key_label, int key_type, int value_number,
                         int value_label)
{
    begin_p_m();
    put_plain("map", 1, map_label, map_type, ".p.M.MapEntry");
    size_t entry = begin_nested(&set, "MapEntry");
    wire_bytes(&set, 7, "\x38\x01", 2); /* map_entry */
    put_plain("key", 1, key_label, key_type, NULL);
    put_plain("value", value_number, value_label, KIND_INT32, NULL);
    wire_end(&set, entry);
    end_p_m();
}

static void put_entry(int key_label, int key_type, int value_number, int value_label)
{
    put_entry_of(LABEL_REPEATED, KIND_MESSAGE, key_label, key_type, value_number, value_label);
}

/*
 * A map entry outside of a map is refused, because it is not defined what an entry without a key or
 * a value means there.
 */
TEST_WITH(an_entry_stands_in_maps_alone, clear_set, NULL)
{
    (void)state;
    put_entry_of(LABEL_OPTIONAL, KIND_MESSAGE, LABEL_OPTIONAL, KIND_INT32, 2, LABEL_OPTIONAL);
    assert_refused("\"map\" of \"p.M\" is of a map's entry and no map");
    put_entry_of(LABEL_REPEATED, KIND_GROUP, LABEL_OPTIONAL, KIND_INT32, 2, LABEL_OPTIONAL);
    assert_refused("is of a map's entry and no map");
    struct type_set *made;
    struct error error;
    put_entry(LABEL_OPTIONAL, KIND_INT32, 2, LABEL_OPTIONAL);
    assert_int_equal(type_set_load("s", set.bytes, set.size, NULL, &made, &error), 0);
    assert_null(type_set_require(made, "p.M.MapEntry", &error));
    assert_string_equal(error.text, "message \"p.M.MapEntry\" is the entry of a map");
    type_set_destroy(made);
}

TEST_WITH(a_message_without_its_package_is_found_for_the_error, clear_set, NULL)
{
    (void)state;
    struct type_set *shapes;
    struct error error;
    assert_int_equal(type_set_load("shapes", shapes_set, shapes_set_size, NULL, &shapes, &error),
                     0);
    assert_null(type_set_require(shapes, "Kinds", &error));
    assert_string_equal(error.text, "no message \"Kinds\"; did you mean \"sluice.shapes.Kinds\"?");
    assert_null(type_set_require(shapes, "other.Kinds", &error));
    assert_string_equal(error.text,
                        "no message \"other.Kinds\"; did you mean \"sluice.shapes.Kinds\"?");
    type_set_destroy(shapes);
}

TEST_WITH(entries_that_are_none_are_refused, clear_set, NULL)
{
    (void)state;
    static const int bad_keys[] = {KIND_DOUBLE, KIND_FLOAT, KIND_BYTES};
    for (size_t i = 0; i < sizeof bad_keys / sizeof bad_keys[0]; i++) {
        put_entry(LABEL_OPTIONAL, bad_keys[i], 2, LABEL_OPTIONAL);
        assert_refused("\"p.M.MapEntry\" is not a valid map entry");
    }
    put_entry(LABEL_REPEATED, KIND_INT32, 2, LABEL_OPTIONAL);
    assert_refused("not a valid map entry");
    put_entry(LABEL_OPTIONAL, KIND_INT32, 3, LABEL_OPTIONAL);
    assert_refused("not a valid map entry");
    put_entry(LABEL_OPTIONAL, KIND_INT32, 2, LABEL_REPEATED);
    assert_refused("not a valid map entry");
}

static void begin_set(void)
{
    begin_p_m();
    wire_bytes(&set, 7, "\x08\x01", 2); /* message_set_wire_format */
}

static void put_item(int32_t number, int label, int type, const char *type_name)
{
    put_extension(&set, ".p.M",
                  (struct field_written){.name = "item",
                                         .number = number,
                                         .label = label,
                                         .type = type,
                                         .type_name = type_name});
}

TEST_WITH(a_message_set_has_the_messages_that_extend_it, clear_set, NULL)
{
    (void)state;
    static const int32_t numbers[] = {1, 536870911, 536870912, INT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct type_set *made;
        struct error error;
        begin_set();
        wire_end(&set, message_begun);
        put_item(numbers[i], LABEL_OPTIONAL, KIND_MESSAGE, ".p.M");
        wire_end(&set, file_begun);
        assert_int_equal(type_set_load("set", set.bytes, set.size, NULL, &made, &error), 0);
        const struct message_type *type = type_set_require(made, "p.M", &error);
        assert_non_null(type);
        const struct field_type *item = message_type_find(type, (uint32_t)numbers[i]);
        assert_non_null(item);
        assert_string_equal(item->proto_key, "\"[p.item]\":");
        type_set_destroy(made);
    }
}

TEST_WITH(a_message_set_has_no_fields, clear_set, NULL)
{
    (void)state;
    begin_set();
    put_plain("field", 4, LABEL_OPTIONAL, KIND_MESSAGE, ".p.M");
    end_p_m();
    assert_refused(
        "\"field\" of the message set \"p.M\" is not an optional message that extends it");
}

TEST_WITH(what_is_no_optional_message_extends_no_message_set, clear_set, NULL)
{
    (void)state;
    static const struct {
        int label, type;
        const char *type_name;
    } wrong[] = {{LABEL_OPTIONAL, KIND_INT32, NULL},
                 {LABEL_OPTIONAL, KIND_BYTES, NULL},
                 {LABEL_OPTIONAL, KIND_GROUP, ".p.M"},
                 {LABEL_REPEATED, KIND_MESSAGE, ".p.M"},
                 {LABEL_REQUIRED, KIND_MESSAGE, ".p.M"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        begin_set();
        wire_end(&set, message_begun);
        put_item(4, wrong[i].label, wrong[i].type, wrong[i].type_name);
        wire_end(&set, file_begun);
        assert_refused("\"p.item\" of the message set \"p.M\" is not an optional message");
    }
}

TEST_WITH(a_number_that_no_tag_holds_stands_in_message_sets_alone, clear_set, NULL)
{
    (void)state;
    begin_p_m();
    wire_end(&set, message_begun);
    put_item(536870912, LABEL_OPTIONAL, KIND_MESSAGE, ".p.M");
    wire_end(&set, file_begun);
    assert_refused("\"p.item\" of \"p.M\" has an invalid number");
    begin_set();
    wire_end(&set, message_begun);
    put_item(0, LABEL_OPTIONAL, KIND_MESSAGE, ".p.M");
    wire_end(&set, file_begun);
    assert_refused("\"p.item\" of \"p.M\" has an invalid number");
}
