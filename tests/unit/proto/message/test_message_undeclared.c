/* Tests that extensions that no file declares are found among the unknown fields of a message. */
#include <string.h>

#include "proto/message/undeclared.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/set_writing.h"
#include "tests/support/test.h"

/*
 * Makes the types p.Outer, which has a list of p.Inner, and p.Inner, which allows the extensions
 * 100 to 199. Only extension 150 is declared.
 */
static int set_up(void **state)
{
    static struct wire set;
    wire_clear(&set);
    size_t file = begin_file(&set, "f.proto", "p", "proto2", 0);
    size_t message = begin_message(&set, "Outer");
    put_field(&set, (struct field_written){.name = "list",
                                           .number = 1,
                                           .label = LABEL_REPEATED,
                                           .type = KIND_MESSAGE,
                                           .type_name = ".p.Inner"});
    wire_end(&set, message);
    message = begin_message(&set, "Inner");
    put_extension_range(&set, 100, 200);
    wire_end(&set, message);
    put_enum(&set, "Closed", 2, (struct features_written){0});
    put_extension(&set, ".p.Inner",
                  (struct field_written){.name = "known",
                                         .number = 150,
                                         .label = LABEL_OPTIONAL,
                                         .type = KIND_ENUM,
                                         .type_name = ".p.Closed"});
    wire_end(&set, file);
    wire_clear(&wire);
    return decoding_set_up_set(state, set.bytes, set.size, "p.Outer");
}

static void put_inner(uint32_t number, uint64_t value)
{
    size_t inner = wire_begin(&wire, 1);
    wire_uint(&wire, number, value);
    wire_end(&wire, inner);
}

static bool find(struct decoding *decoding, struct schema_undeclared *found)
{
    assert_int_equal(decoding_wire(decoding, &wire), DECODE_OK);
    return message_find_undeclared(decoding->type, decoding->message, found);
}

TEST_WITH(an_unknown_field_in_a_range_for_extensions_is_found_with_its_message, set_up,
          close_decoding)
{
    struct schema_undeclared found;
    put_inner(150, 1);
    put_inner(199, 7);
    assert_true(find(*state, &found));
    assert_int_equal(found.number, 199);
    assert_string_equal(found.message, "p.Inner");
}

TEST_WITH(other_unknown_fields_and_values_of_declared_extensions_are_not, set_up, close_decoding)
{
    struct schema_undeclared found;
    wire_uint(&wire, 100, 1); /* Outer allows no extensions */
    put_inner(99, 1);
    put_inner(200, 1);
    put_inner(150, 77); /* not a value of the closed enum */
    assert_false(find(*state, &found));
}
