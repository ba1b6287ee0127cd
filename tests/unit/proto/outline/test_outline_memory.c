#include <stdlib.h>
#include <string.h>

#include "proto/outline/outline.h"
#include "proto/outline/tops.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/schemas.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

#define ENVELOPE TEST_SETS "/envelope.desc"

TEST(an_outline_is_made_or_refused_whichever_allocation_failed)
{
    static const struct schema_options options = {
        .source = ENVELOPE, .message = "sluice.envelope.Envelope", .value = "*"};
    struct schema *schema;
    struct error error;
    assert_int_equal(schema_file.create(&options, &schema, &error), 0);
    uint64_t number = 0;
    for (bool failed = true; failed;) {
        struct outline outline;
        failing_memory_fail(++number);
        int result = outline_make(schema, &outline, &error);
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        assert_int_equal(result, failed ? -1 : 0);
        assert_true(!failed || error.code == EXIT_CODE_INTERNAL);
        outline_clear(&outline);
    }
    assert_true(number > 10);
    schema_file.destroy(schema);
}

TEST(the_outermost_messages_are_found_or_refused_whichever_allocation_failed)
{
    struct type_set *set;
    struct error error;
    assert_int_equal(descriptor_file_load(ENVELOPE, &set, &error), 0);
    uint64_t number = 0;
    for (bool failed = true; failed;) {
        struct top *tops = NULL;
        size_t count;
        failing_memory_fail(++number);
        int result = tops_find(set, false, &tops, &count, &error);
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        assert_int_equal(result, failed ? -1 : 0);
        free(tops);
    }
    assert_true(number > 5);
    type_set_destroy(set);
}
