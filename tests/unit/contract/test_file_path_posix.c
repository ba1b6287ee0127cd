/* Paths of POSIX: '/' separates names, and every other byte is one of a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/platform/file_path.h"
#include "tests/support/contract/path_parsing.h"

static void what_separates_names_elsewhere_is_a_byte_like_any_other(void **state)
{
    (void)state;
    char path[] = "C:\\logs\\a";
    file_path_normalise(path);
    assert_string_equal(path, "C:\\logs\\a");
    assert_int_equal(file_path_root(path), 0);
    assert_int_equal(file_path_folder(path), 0);
    path_template_free(parsed("a?b:c|d. /e.\n"));
}

static void the_root_is_one_slash(void **state)
{
    (void)state;
    assert_int_equal(file_path_root("/"), 1);
    assert_int_equal(file_path_root("//a"), 1);
    struct path_template *path = parsed("//x");
    assert_string_equal(path_template_base(path), "/");
    assert_string_equal(path_template_prefix(path), "//");
    path_template_free(path);
    assert_int_equal(file_path_root("a/b"), 0);
    assert_int_equal(file_path_root(""), 0);
}

static void names_that_differ_in_case_differ(void **state)
{
    (void)state;
    assert_false(file_path_same("a", "A"));
    for (unsigned byte = 0; byte < 256; byte++)
        assert_int_equal(file_path_fold[byte], byte);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_separates_names_elsewhere_is_a_byte_like_any_other),
        cmocka_unit_test(the_root_is_one_slash),
        cmocka_unit_test(names_that_differ_in_case_differ),
    };
    return cmocka_run_group_tests_name("file path of POSIX", tests, NULL, NULL);
}
