#include "tests/support/proto/descriptor_loading.h"

#include <string.h>

#include "proto/runtime/descriptor_file.h"
#include "tests/support/test.h"

void assert_loads(const char *path, const char *full_name)
{
    struct type_set *set;
    struct error error;
    if (descriptor_file_load(path, &set, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(type_set_require(set, full_name, &error));
    type_set_destroy(set);
}

void assert_refused(const char *path, const char *expected)
{
    struct type_set *set;
    struct error error = {0};
    assert_int_equal(descriptor_file_load(path, &set, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, path) == NULL || strstr(error.text, expected) == NULL ||
        strchr(error.text, '\n') != NULL)
        fail_msg("%s", error.text);
}
