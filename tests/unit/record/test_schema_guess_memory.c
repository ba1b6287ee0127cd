/*
 * Tests that a guess for which memory is short is left out, and the next one finds each schema made
 * once.
 */
#include "collector/record/schema_guess.h"
#include "tests/support/contract/fake_schema.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

TEST(schemas_are_made_once_after_memory_was_short)
{
    static const struct schema_ops *const known[] = {&fake_schema, NULL};
    const uint8_t data[] = "text";
    struct schema_guess *guess = schema_guess_create(known);
    assert_non_null(guess);
    for (uint64_t call = 0; call < 3; call++) {
        failing_memory_fail(call == 0 ? 1 : 0);
        assert_null(schema_guess_name(guess, &fake_schema, data, sizeof data));
        assert_int_equal(failing_memory_left(), 0);
    }
    assert_int_equal(failing_memory_failed(), 1);
    assert_int_equal(fake_schemas.made, 1);
    schema_guess_destroy(guess);
    assert_int_equal(fake_schemas.living, 0);
}
