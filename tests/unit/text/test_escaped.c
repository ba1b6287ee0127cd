/* Tests writing a text in which some characters are replaced. */
#include <string.h>

#include "collector/text/escaped.h"
#include "tests/support/test.h"

#define FFFD REPLACEMENT_CHARACTER

static const struct escapes escapes = {
    {['\0'] = {"0", 1}, [','] = {"\\,", 2}, ['x'] = {"XYZ", 3}, [0x7f] = {FFFD, 3}}};

static void assert_gives(const char *text, size_t size, const char *expected)
{
    char room[64];
    struct output out = {.data = room, .capacity = sizeof room};
    escaped_put(&out, text, size, &escapes);
    assert_false(out.overflow);
    assert_int_equal(out.used, strlen(expected));
    assert_memory_equal(room, expected, out.used);
    for (size_t capacity = 0; capacity < strlen(expected); capacity++) {
        struct output less = {.data = room, .capacity = capacity};
        escaped_put(&less, text, size, &escapes);
        assert_true(less.overflow);
    }
}

TEST(characters_of_the_table_have_their_form_there)
{
    assert_gives(NULL, 0, "");
    assert_gives("plain = word", 12, "plain = word");
    assert_gives(",", 1, "\\,");
    assert_gives("a,,b,", 5, "a\\,\\,b\\,");
    assert_gives("axb\0c\x7f", 6, "aXYZb0c" FFFD);
    assert_gives("\n\\\"", 3, "\n\\\""); /* all other characters are unchanged */
}

TEST(control_characters_beyond_ascii_have_the_form_of_delete)
{
    assert_gives("a\xc2\x80\xc2\x9f,", 6, "a" FFFD FFFD "\\,");
    assert_gives("\xc2\xa0\xc3\x9b\xe2\x82\x80", 7, "\xc2\xa0\xc3\x9b\xe2\x82\x80");
    static const struct escapes none = {{['x'] = {"y", 1}}};
    char room[8];
    struct output out = {.data = room, .capacity = sizeof room};
    escaped_put(&out, "x\x7f\xc2\x9b", 4, &none);
    assert_int_equal(out.used, 4);
    assert_memory_equal(room, "y\x7f\xc2\x9b", 4);
}

TEST(ill_formed_utf8_becomes_replacement_characters)
{
    assert_gives("caf\xc3\xa9 \xf0\x9f\x98\x80", 10, "caf\xc3\xa9 \xf0\x9f\x98\x80");
    assert_gives("\xff,", 2, FFFD "\\,");
    assert_gives("x\xe2\x82", 3, "XYZ" FFFD);
    assert_gives("\xed\xa0\x80", 3, FFFD FFFD FFFD);
    assert_gives("\xc0\xaf,z", 4, FFFD FFFD "\\,z");
}
