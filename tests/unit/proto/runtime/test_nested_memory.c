#include <string.h>

#include "proto/schemas.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

#define PACKAGE "sluice.envelope."

static void make_with_each_failure(const struct schema_options *options)
{
    uint64_t number = 0;
    for (bool failed = true; failed;) {
        struct schema *schema = NULL;
        struct error error = {0};
        failing_memory_fail(++number);
        int result = schema_file.create(options, &schema, &error);
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        if (failed) {
            assert_int_equal(result, -1);
            assert_int_equal(error.code, EXIT_CODE_INTERNAL);
            assert_non_null(strstr(error.text, "memory"));
        } else {
            assert_int_equal(result, 0);
            schema_file.destroy(schema);
        }
    }
    assert_true(number > 20);
}

TEST(a_schema_with_nested_messages_is_made_or_refused_whichever_allocation_failed)
{
    static const struct schema_options options = {
        .source = TEST_SETS "/envelope.desc",
        .message = PACKAGE "Envelope",
        .nested =
            "rows.content:by=kind,ports=" PACKAGE "Ports,cpu=" PACKAGE
            "Cpu;rows.content.inner:message=" PACKAGE "Cpu;rows.keys:message=" PACKAGE "PortKeys",
        .value = "rows.content.load,rows.content.packets",
        .labels = "rows.keys.port,rows.content.node",
        .sequence = "number",
    };
    make_with_each_failure(&options);
}

TEST(a_schema_whose_numbers_are_all_samples_is_made_or_refused_whichever_allocation_failed)
{
    static const struct schema_options options = {
        .source = TEST_SETS "/envelope.desc",
        .message = PACKAGE "Envelope",
        .nested = "rows.content:by=kind,ports=" PACKAGE "Ports,cpu=" PACKAGE "Cpu",
        .value = "number,rows.*",
        .labels = "who:kind,rows/name",
    };
    make_with_each_failure(&options);
}

TEST(a_schema_whose_rows_are_typed_by_a_path_is_made_or_refused_whichever_allocation_failed)
{
    static const struct schema_options options = {
        .source = TEST_SETS "/models.desc",
        .message = "sluice.models.Telemetry",
        .nested = "rows:by=path",
        .value = "number,rows.*",
        .name = "path",
        .time = "rows.timestamp:s",
    };
    make_with_each_failure(&options);
}
