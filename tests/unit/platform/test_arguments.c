#include "collector/platform/windows/arguments.h"
#include "tests/support/test.h"

TEST_WITH(each_becomes_utf_8_and_a_null_ends_them, NULL, NULL)
{
    wchar_t name[] = L"sluice";
    wchar_t path[] = L"file:K\u00e4se\\\u6e29.ndjson";
    wchar_t empty[] = L"";
    wchar_t pair[] = {0xd83c, 0xdf21, 0};
    wchar_t *wide[] = {name, path, empty, pair};
    (void)state;
    char **arguments = arguments_from_wide(4, wide);
    assert_non_null(arguments);
    assert_string_equal(arguments[0], "sluice");
    assert_string_equal(arguments[1], "file:K\xc3\xa4se\\\xe6\xb8\xa9.ndjson");
    assert_string_equal(arguments[2], "");
    assert_string_equal(arguments[3], "\xf0\x9f\x8c\xa1");
    assert_null(arguments[4]);
    arguments_free(arguments);
}

TEST_WITH(half_a_pair_becomes_a_replacement_character, NULL, NULL)
{
    wchar_t first[] = {'a', 0xd83c, 'z', 0};
    wchar_t second[] = {0xdf21, 0};
    wchar_t last[] = {'e', 'n', 'd', 0xd83c, 0};
    wchar_t reversed[] = {0xdf21, 0xd83c, 0};
    wchar_t *wide[] = {first, second, last, reversed};
    (void)state;
    char **arguments = arguments_from_wide(4, wide);
    assert_non_null(arguments);
    assert_string_equal(arguments[0], "a\xef\xbf\xbdz");
    assert_string_equal(arguments[1], "\xef\xbf\xbd");
    assert_string_equal(arguments[2], "end\xef\xbf\xbd");
    assert_string_equal(arguments[3], "\xef\xbf\xbd\xef\xbf\xbd");
    arguments_free(arguments);
}

TEST(none_at_all_is_a_null)
{
    char **arguments = arguments_from_wide(0, NULL);
    assert_non_null(arguments);
    assert_null(arguments[0]);
    arguments_free(arguments);
    arguments_free(NULL);
}
