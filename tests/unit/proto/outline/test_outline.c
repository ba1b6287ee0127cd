/* Tests the outline of a schema's samples, for each type in the test sets that value=* accepts. */
#include <stdlib.h>
#include <string.h>

#include "proto/outline/outline.h"
#include "proto/outline/tops.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/schemas.h"
#include "tests/support/test.h"

/*
 * Makes the outline of the type and returns its number of rows. Returns 0 if value=* refuses the
 * type.
 */
static size_t outline_type(const char *file, const char *message)
{
    const struct schema_options options = {.source = file, .message = message, .value = "*"};
    struct schema *schema;
    struct outline outline;
    struct error error;
    if (schema_file.create(&options, &schema, &error) != 0)
        return 0;
    if (outline_make(schema, &outline, &error) != 0)
        fail_msg("%s: %s: %s", file, message, error.text);
    size_t count = outline.count;
    outline_clear(&outline);
    schema_file.destroy(schema);
    return count;
}

TEST(every_message_type_has_an_outline)
{
    static const char *const files[] = {TEST_SETS "/envelope.desc", TEST_SETS "/readings.desc",
                                        TEST_SETS "/plant.desc", TEST_SETS "/wildcard.desc",
                                        TEST_SETS "/defaults.desc"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct type_set *set;
        struct top *tops;
        struct error error;
        size_t count;
        size_t rows = 0;
        if (descriptor_file_load(files[i], &set, &error) != 0)
            fail_msg("%s", error.text);
        assert_int_equal(tops_find(set, true, &tops, &count, &error), 0);
        for (size_t k = 0; k < count; k++)
            rows += outline_type(files[i], tops[k].type->descriptor->name);
        assert_true(rows != 0);
        free(tops);
        type_set_destroy(set);
    }
}
