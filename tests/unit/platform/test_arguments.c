/* Arguments as Windows has them, UTF-16, become texts of ours: UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/platform/windows/arguments.h"

static void each_becomes_utf_8_and_a_null_ends_them(void **state)
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

static void half_a_pair_becomes_a_replacement_character(void **state)
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

static void none_at_all_is_a_null(void **state)
{
    (void)state;
    char **arguments = arguments_from_wide(0, NULL);
    assert_non_null(arguments);
    assert_null(arguments[0]);
    arguments_free(arguments);
    arguments_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_becomes_utf_8_and_a_null_ends_them),
        cmocka_unit_test(half_a_pair_becomes_a_replacement_character),
        cmocka_unit_test(none_at_all_is_a_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
