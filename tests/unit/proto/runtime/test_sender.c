/*
 * Tests reading a datagram's sender and sequence number from fields that the user names by paths.
 */
#include <string.h>

#include "proto/runtime/sender.h"
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

static struct sender_paths parsed(const struct decoding *decoding, const char *number,
                                  const char *keys)
{
    struct sender_paths paths;
    struct error error;
    if (!sender_parse(decoding->type, number, keys, &paths, &error))
        fail_msg("%s", error.text);
    return paths;
}

static void assert_refused(const struct decoding *decoding, const char *number, const char *keys,
                           const char *expected)
{
    struct sender_paths paths;
    struct error error = {0};
    assert_false(sender_parse(decoding->type, number, keys, &paths, &error));
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, expected) == NULL)
        fail_msg("%s", error.text);
}

/*
 * Decodes the datagram and reads its sequence number. `sequence` refers to the sender's name in the
 * arena.
 */
static bool read_number(struct decoding *decoding, const struct sender_paths *paths,
                        struct datagram_sequence *sequence)
{
    bool numbered = false;
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_true(sender_read(paths, decoding->message, &decoding->arena, sequence, &numbered));
    return numbered;
}

TEST_WITH(the_number_and_the_keys_name_a_sender, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct sender_paths paths = parsed(decoding, "number", "text,child.colour,child.flag");
    struct datagram_sequence sequence;
    wire_uint(&wire, 1, 42);
    wire_text(&wire, 2, "host");
    size_t child = wire_begin(&wire, 18);
    wire_uint(&wire, 6, 2);
    wire_end(&wire, child);
    assert_true(read_number(decoding, &paths, &sequence));
    assert_true(sequence.number == 42);
    assert_int_equal(sequence.boot_id, 0);
    assert_int_equal(sequence.sender.size, 12); /* a missing name counts as empty */
    assert_memory_equal(sequence.sender.data, "host\0GREEN\0\0", 12);
}

TEST_WITH(keys_that_run_together_are_different_senders, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct sender_paths paths = parsed(decoding, "number", "text,word");
    struct datagram_sequence first, second;
    char kept[8];
    wire_uint(&wire, 1, 1);
    wire_text(&wire, 2, "ab");
    wire_text(&wire, 13, "c");
    assert_true(read_number(decoding, &paths, &first));
    assert_int_equal(first.sender.size, 5);
    memcpy(kept, first.sender.data, 5);
    wire_clear(&wire);
    wire_uint(&wire, 1, 1);
    wire_text(&wire, 2, "a");
    wire_text(&wire, 13, "bc");
    assert_true(read_number(decoding, &paths, &second));
    assert_int_equal(second.sender.size, 5);
    assert_memory_not_equal(second.sender.data, kept, 5);
}

TEST_WITH(without_a_path_or_a_value_there_is_no_number, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct sender_paths none = parsed(decoding, NULL, NULL);
    struct sender_paths paths = parsed(decoding, "child.number", NULL);
    struct datagram_sequence sequence;
    assert_false(read_number(decoding, &none, &sequence));
    assert_false(read_number(decoding, &paths, &sequence));
    wire_wrap(&wire, 18, 1);
    assert_false(read_number(decoding, &paths, &sequence));
    wire_clear(&wire);
    wire_uint(&wire, 1, 0);
    wire_wrap(&wire, 18, 1);
    assert_true(read_number(decoding, &paths, &sequence));
    assert_int_equal(sequence.sender.size, 0);
}

TEST_WITH(numbers_of_every_integer_type_are_read_but_none_below_zero, open_kinds, close_decoding)
{
    static const char *const names[] = {"an_int32",   "an_int64",  "a_uint32",  "a_uint64",
                                        "a_sint32",   "a_sint64",  "a_fixed32", "a_fixed64",
                                        "a_sfixed32", "a_sfixed64"};
    struct decoding *decoding = *state;
    for (int negative = 0; negative <= 1; negative++) {
        wire_clear(&wire);
        for (uint32_t number = 3; number <= 6; number++)
            wire_uint(&wire, number, negative != 0 ? UINT64_MAX : 5);
        wire_sint(&wire, 7, negative != 0 ? -1 : 5);
        wire_sint(&wire, 8, negative != 0 ? -1 : 5);
        for (uint32_t number = 9; number <= 12; number++)
            if (number % 2 == 1)
                wire_fixed32(&wire, number, negative != 0 ? UINT32_MAX : 5);
            else
                wire_fixed64(&wire, number, negative != 0 ? UINT64_MAX : 5);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            struct sender_paths paths = parsed(decoding, names[i], NULL);
            struct datagram_sequence sequence;
            bool is_unsigned =
                strstr(names[i], "a_u") == names[i] || strstr(names[i], "a_f") == names[i];
            assert_int_equal(read_number(decoding, &paths, &sequence),
                             negative == 0 || is_unsigned);
            if (negative == 0)
                assert_true(sequence.number == 5);
            else if (is_unsigned)
                assert_true(sequence.number ==
                            (strstr(names[i], "64") != NULL ? UINT64_MAX : UINT32_MAX));
        }
    }
}

TEST_WITH(an_arena_too_small_for_the_name_is_reported, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    struct sender_paths paths = parsed(decoding, "number", "text");
    struct datagram_sequence sequence;
    bool numbered;
    wire_uint(&wire, 1, 1);
    wire_text(&wire, 2, "a name that takes some room");
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct arena full = decoding->arena;
    full.capacity = full.used + 8;
    assert_false(sender_read(&paths, decoding->message, &full, &sequence, &numbered));
    assert_int_equal(full.used, decoding->arena.used);
}

TEST_WITH(paths_that_cannot_number_a_sender_are_refused, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    assert_refused(decoding, "nunber", NULL, "sequence: ");
    assert_refused(decoding, "nunber", NULL, "did you mean \"number\"?");
    assert_refused(decoding, "text", NULL, "sequence: \"text\" is not an integer");
    assert_refused(decoding, "flag", NULL, "is not an integer");
    assert_refused(decoding, "ratio", NULL, "is not an integer");
    assert_refused(decoding, "child", NULL, "is a message, not a value");
    assert_refused(decoding, "list", NULL, "is reached through a repeated field");
    assert_refused(decoding, "children.number", NULL, "is reached through a repeated field");
    assert_refused(decoding, "number", "no_text", "sequence_key: ");
    assert_refused(decoding, "number", "text,", "sequence_key: ");
    assert_refused(decoding, "number", "text,counts", "sequence_key: ");
    assert_refused(decoding, "number", "text,text,text,text,text,text,text,text,text",
                   "sequence_key: more than 8 paths");
}

TEST_WITH(paths_are_equal_where_they_read_the_same_fields, open_legacy, close_decoding)
{
    struct decoding *decoding = *state;
    const struct sender_paths each[] = {
        parsed(decoding, "number", "text,word"), parsed(decoding, NULL, NULL),
        parsed(decoding, "number", NULL),        parsed(decoding, "number", "text"),
        parsed(decoding, "number", "word,text"), parsed(decoding, "child.number", "text,word"),
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        for (size_t k = 0; k < sizeof each / sizeof each[0]; k++)
            assert_int_equal(sender_paths_equal(&each[i], &each[k]), i == k);
    struct field_type renamed = *each[0].number.steps[0], signed_one = renamed;
    struct sender_paths other = each[0];
    renamed.proto_key = "\"another\":";
    other.number.steps[0] = &renamed;
    assert_true(sender_paths_equal(&each[0], &other));
    signed_one.kind = KIND_SINT32;
    other.number.steps[0] = &signed_one;
    assert_false(sender_paths_equal(&each[0], &other));
}
