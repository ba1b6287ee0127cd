#include <string.h>

#include "collector/text/control_character.h"
#include "tests/support/test.h"

#define SIZE_MAX_TESTED 16

static bool is_control(uint32_t character)
{
    return character <= 0x1f || character == 0x7f || (character >= 0x80 && character <= 0x9f);
}

static size_t encode(uint32_t character, uint8_t bytes[2])
{
    if (character < 0x80) {
        bytes[0] = (uint8_t)character;
        return 1;
    }
    bytes[0] = (uint8_t)(0xc0 | character >> 6);
    bytes[1] = (uint8_t)(0x80 | (character & 0x3f));
    return 2;
}

static void assert_becomes(void (*hide)(char *text, size_t size), const char *text,
                           const char *expected)
{
    char room[SIZE_MAX_TESTED];
    size_t size = strlen(text);
    memcpy(room, text, size + 1);
    hide(room, size);
    assert_string_equal(room, expected);
}

TEST(all_of_c0_and_c1_and_delete_are_control_characters)
{
    for (uint32_t character = 0; character < 0x800; character++) {
        uint8_t bytes[2] = {0};
        size_t size = encode(character, bytes);
        assert_int_equal(control_character_is(character), is_control(character));
        assert_int_equal(control_character_at(bytes, size), is_control(character) ? size : 0);
    }
}

TEST(cut_or_ill_formed_sequences_are_not_control_characters)
{
    assert_int_equal(control_character_at((const uint8_t *)"\xc2\x9b", 1), 0);
    assert_int_equal(control_character_at((const uint8_t *)"\xc2\x1b", 2), 0);
    assert_int_equal(control_character_at((const uint8_t *)"\x9b", 1), 0);
    assert_int_equal(control_character_at((const uint8_t *)"\xc3\x9b", 2), 0);
}

TEST(each_byte_of_them_becomes_a_question_mark)
{
    for (uint32_t character = 1; character < 0x800; character++) {
        char text[] = {'a', '\0', '\0', '\0', '\0'};
        char expected[] = {'a', '\0', '\0', '\0', '\0'};
        size_t size = encode(character, (uint8_t *)text + 1);
        text[1 + size] = 'z';
        memcpy(expected, text, sizeof text);
        if (is_control(character))
            memset(expected + 1, '?', size);
        assert_becomes(control_characters_hide, text, expected);
    }
    char nul[] = {'a', '\0', 'b'};
    control_characters_hide(nul, sizeof nul);
    assert_memory_equal(nul, "a?b", sizeof nul);
}

TEST(bytes_of_0x80_to_0x9f_that_belong_to_no_character_become_one_too)
{
    assert_becomes(control_characters_hide, "a\x9b[m\xe9", "a?[m\xe9");
    assert_becomes(control_characters_hide, "\xe2\x9b", "\xe2?");
    assert_becomes(control_characters_hide, "\xe2\x9b\x80\xdb\x9b", "\xe2\x9b\x80\xdb\x9b");
    assert_becomes(control_characters_hide, "\xc2", "\xc2");
}

TEST(line_ends_stay_only_in_lines)
{
    assert_becomes(control_characters_hide, "a\r\nb\n", "a??b?");
    assert_becomes(control_characters_hide_in_lines, "a\r\nb\n\n", "a\r\nb\n\n");
    assert_becomes(control_characters_hide_in_lines, "\ra\r\r\n\t\xc2\x9b\r", "?a?\r\n????");
}
