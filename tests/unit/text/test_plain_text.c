/* Tests finding the texts that JSON can hold without escapes. */
#include <string.h>

#include "collector/text/plain_text.h"
#include "tests/support/test.h"

#define LONGEST 40

static const struct plain_rule rule = {0x21, {',', '=', '\\'}};

static bool is_plain_character(int c)
{
    return c > ' ' && c < 0x7f && c != ',' && c != '=' && c != '\\';
}

/*
 * Calls plain_text_is on texts that have other bytes before and after them, which must not be read
 * or written.
 */
static bool is_plain(const char *text, size_t size)
{
    char copy[LONGEST + 2];
    char second[LONGEST + 2];
    memset(copy, ',', sizeof copy);
    memset(second, ',', sizeof second);
    memcpy(copy + 1, text, size);
    bool plain = plain_text_is(copy + 1, size, rule);
    assert_int_equal(plain_text_copy(second + 1, copy + 1, size, rule), plain);
    if (plain)
        assert_memory_equal(second, copy, sizeof copy);
    else
        assert_true(second[0] == ',' && second[size + 1] == ',');
    return plain;
}

TEST(two_texts_are_equal_if_no_byte_differs)
{
    char one[LONGEST], other[LONGEST];
    for (size_t i = 0; i < LONGEST; i++)
        one[i] = other[i] = (char)('a' + i % 26);
    assert_true(plain_text_equal(NULL, NULL, 0));
    for (size_t size = 1; size + 2 <= LONGEST; size++) {
        one[0] = one[size + 1] = '-'; /* the bytes before and after the text differ */
        assert_true(plain_text_equal(one + 1, other + 1, size));
        for (size_t i = 1; i <= size; i++) {
            one[i] ^= 1;
            assert_false(plain_text_equal(one + 1, other + 1, size));
            one[i] ^= 1;
        }
        one[size + 1] = other[size + 1];
    }
}

TEST(an_empty_text_is_plain)
{
    assert_true(plain_text_is(NULL, 0, rule));
    assert_true(plain_text_copy(NULL, NULL, 0, rule));
    assert_true(is_plain("", 0));
}

TEST(every_character_is_checked_at_any_position)
{
    char text[LONGEST];
    for (size_t size = 1; size <= LONGEST; size++) {
        for (size_t at = 0; at < size; at++) {
            memset(text, '~', sizeof text);
            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                if (is_plain(text, size) != is_plain_character(c))
                    fail_msg("byte %d at %zu of %zu", c, at, size);
            }
        }
    }
}

/*
 * The function checks several bytes at once. A carry from one byte to the next must not hide a
 * control character.
 */
TEST(a_special_byte_is_found_next_to_any_other)
{
    char text[9];
    for (int first = 0; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            memset(text, '!', sizeof text);
            text[3] = (char)first;
            text[4] = (char)second;
            bool expected = is_plain_character(first) && is_plain_character(second);
            if (is_plain(text, sizeof text) != expected)
                fail_msg("bytes %d and %d", first, second);
        }
    }
}
