/* Tests that names of metrics and labels are changed to have only allowed characters. */
#include <stdio.h>
#include <string.h>

#include "sinks/encoders/exposition.h"
#include "tests/support/test.h"

#define LONGEST 24

static void assert_fits(const struct text *name, bool colon, size_t capacity, const char *expected)
{
    char room[LONGEST + 2];
    size_t length = strlen(expected);
    struct output out = {.data = room, .capacity = capacity};
    assert_in_range(capacity, length, sizeof room);
    exposition_name(&out, name, colon);
    if (out.overflow || out.used != length || memcmp(room, expected, length) != 0)
        fail_msg("%.*s is written as %.*s", (int)name->size, name->data, (int)out.used, room);
}

static void assert_name(const char *text, size_t size, bool colon, const char *expected)
{
    const struct text name = {text, size};
    char room[LONGEST + 2];
    assert_fits(&name, colon, sizeof room, expected);
    assert_fits(&name, colon, strlen(expected), expected);
    for (size_t capacity = 0; capacity < strlen(expected); capacity++) {
        struct output less = {.data = room, .capacity = capacity};
        exposition_name(&less, &name, colon);
        assert_true(less.overflow);
    }
}

TEST(a_name_is_not_empty_and_begins_with_no_digit)
{
    assert_name("", 0, false, "_");
    assert_name("5xx", 3, false, "_5xx");
    assert_name("x5", 2, false, "x5");
}

TEST(every_character_of_ascii_is_kept_or_replaced_wherever_it_stands)
{
    static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char text[LONGEST + 1], expected[LONGEST + 1];
    for (size_t size = 2; size <= LONGEST; size++) {
        for (size_t at = 1; at < size; at++) {
            for (int c = 0; c < 0x80; c++) {
                memset(text, 'n', size);
                memset(expected, 'n', size);
                text[at] = (char)c;
                text[size] = expected[size] = '\0';
                expected[at] = c != '\0' && strchr(letters, c) != NULL ? (char)c : '_';
                assert_name(text, size, false, expected);
                expected[at] = c == ':' ? ':' : expected[at];
                assert_name(text, size, true, expected);
            }
        }
    }
}

TEST(a_character_of_several_bytes_is_one_underscore)
{
    assert_name("caf\xc3\xa9", 5, true, "caf_");
    assert_name("\xf0\x9f\x98\x80", 4, true, "_");
    assert_name("a.long.name.of.caf\xc3\xa9s", 21, true, "a_long_name_of_caf_s");
    assert_name("\xe2\x82.and \xff\xfe", 9, false, "__and___");
}
