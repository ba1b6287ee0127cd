#include "collector/glossary/glossary.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

TEST(whichever_allocation_fails_nothing_is_left_behind)
{
    uint64_t number = 0;
    struct glossary *glossary;
    do {
        failing_memory_fail(++number);
        glossary = glossary_create(&test_registry);
        if (failing_memory_left() == 0)
            assert_null(glossary);
        else
            assert_non_null(glossary);
        failing_memory_fail(0);
        assert_true(number < 100);
    } while (glossary == NULL);
    assert_true(number > 2);
    glossary_destroy(glossary);
}
