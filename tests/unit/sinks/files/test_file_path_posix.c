/* Tests paths on POSIX: '/' separates names, which may have any other byte. */
#include <string.h>

#include "collector/platform/file_system.h"
#include "tests/support/sinks/path_parsing.h"
#include "tests/support/test.h"

TEST(what_separates_names_elsewhere_is_a_byte_like_any_other)
{
    char path[] = "C:\\logs\\a";
    file_path_normalise(path);
    assert_string_equal(path, "C:\\logs\\a");
    assert_int_equal(file_path_root(path), 0);
    assert_int_equal(file_path_folder(path), 0);
    path_template_free(parsed("a?b:c|d. /e.\n"));
}

TEST(the_root_is_one_slash)
{
    assert_int_equal(file_path_root("/"), 1);
    assert_int_equal(file_path_root("//a"), 1);
    struct path_template *path = parsed("//x");
    assert_string_equal(path_template_base(path), "/");
    assert_string_equal(path_template_prefix(path), "//");
    path_template_free(path);
    assert_int_equal(file_path_root("a/b"), 0);
    assert_int_equal(file_path_root(""), 0);
}

TEST(names_that_differ_in_case_differ)
{
    assert_false(file_path_same("a", "A"));
    for (unsigned byte = 0; byte < 256; byte++)
        assert_int_equal(file_path_fold[byte], byte);
}
