/*
 * Tests that the arguments of a program are joined to a text that Windows splits into the same
 * arguments.
 */
#include <stdlib.h>
#include <windows.h>
/* These headers need the types of windows.h. */
#include <shellapi.h>

#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/text.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static void assert_line(const char *const *arguments, const wchar_t *expected)
{
    wchar_t *line = command_line_of(arguments);
    assert_non_null(line);
    if (wcscmp(line, expected) != 0)
        fail_msg("%ls, not %ls", line, expected);
    free(line);
}

#define arguments(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(only_what_needs_it_is_quoted)
{
    assert_line(arguments("prog"), L"\"prog\"");
    assert_line(arguments("c:\\a b\\", "x", "a b", "", "\ty"),
                L"\"c:\\a b\\\" x \"a b\" \"\" \"\ty\"");
    assert_line(arguments("p", "gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x8d\x8e"),
                L"\"p\" gr\u00fc\u00df \U0001f34e");
}

TEST(backslashes_are_doubled_before_a_quotation_mark_alone)
{
    assert_line(arguments("p", "c:\\d\\e", "\\\\"), L"\"p\" c:\\d\\e \\\\");
    assert_line(arguments("p", "c:\\d e\\"), L"\"p\" \"c:\\d e\\\\\"");
    assert_line(arguments("p", "\"", "a\\\"b"), L"\"p\" \"\\\"\" \"a\\\\\\\"b\"");
}

TEST(what_cannot_be_said_is_refused)
{
    assert_null(command_line_of(arguments("a\"b")));
    assert_null(command_line_of(arguments("p", "\xff")));
}

static void make_argument(char text[16], uint64_t *random)
{
    static const char characters[] = "aZ  \t\"\"\\\\\\\\*%^&|'";
    size_t length = next_random(random) % 16;
    for (size_t i = 0; i < length; i++)
        text[i] = characters[next_random(random) % (sizeof characters - 1)];
    text[length] = '\0';
}

TEST(windows_takes_it_apart_into_the_same_arguments)
{
    uint64_t random = 5;
    for (int round = 0; round < 2000; round++) {
        char texts[4][16];
        int count = 0;
        for (size_t i = 0; i < 4; i++)
            make_argument(texts[i], &random);
        wchar_t *line = command_line_of(
            arguments("c:\\some program.exe", texts[0], texts[1], texts[2], texts[3]));
        assert_non_null(line);
        wchar_t **parts = CommandLineToArgvW(line, &count);
        assert_int_equal(count, 5);
        for (size_t i = 0; i < 4; i++) {
            wchar_t expected[16];
            assert_true(text_to_wide(texts[i], expected, 16));
            if (wcscmp(parts[i + 1], expected) != 0)
                fail_msg("%ls became %ls", expected, parts[i + 1]);
        }
        LocalFree(parts);
        free(line);
    }
}
