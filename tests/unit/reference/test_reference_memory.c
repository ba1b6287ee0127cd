/* The reference where memory is short: there is none. */
#include "collector/reference/reference.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

TEST(whichever_allocation_fails_nothing_is_left_behind)
{
    uint64_t number = 0;
    struct reference *reference;
    do {
        failing_memory_fail(++number);
        reference = reference_create(&test_registry);
        if (failing_memory_left() == 0)
            assert_null(reference);
        else
            assert_non_null(reference);
        failing_memory_fail(0);
        assert_true(number < 100);
    } while (reference == NULL);
    assert_true(number > 2);
    reference_destroy(reference);
}
