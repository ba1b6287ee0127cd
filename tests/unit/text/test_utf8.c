#include <stdlib.h>
#include <string.h>

#include "collector/text/utf8.h"
#include "tests/support/test.h"

static void assert_sequence(const char *bytes, size_t size, size_t length, bool valid)
{
    bool said;
    assert_int_equal(utf8_sequence((const uint8_t *)bytes, size, &said), length);
    assert_int_equal(said, valid);
}

#define assert_well_formed(literal)                                                                \
    assert_sequence((literal), sizeof(literal) - 1, sizeof(literal) - 1, true)
#define assert_ill_formed(literal, length)                                                         \
    assert_sequence((literal), sizeof(literal) - 1, (length), false)

TEST(the_first_and_last_of_each_length_are_well_formed)
{
    assert_well_formed("\x00");
    assert_well_formed("\x7f");
    assert_well_formed("\xc2\x80");
    assert_well_formed("\xdf\xbf");
    assert_well_formed("\xe0\xa0\x80");
    assert_well_formed("\xed\x9f\xbf");
    assert_well_formed("\xee\x80\x80");
    assert_well_formed("\xef\xbf\xbf");
    assert_well_formed("\xf0\x90\x80\x80");
    assert_well_formed("\xf4\x8f\xbf\xbf");
}

TEST(a_byte_that_begins_nothing_is_ill_formed_alone)
{
    assert_ill_formed("\x80", 1);
    assert_ill_formed("\xbf\x80", 1);
    assert_ill_formed("\xc0\x80", 1); /* overlong */
    assert_ill_formed("\xc1\xbf", 1);
    assert_ill_formed("\xf5\x80\x80\x80", 1);
    assert_ill_formed("\xff", 1);
}

TEST(overlong_forms_surrogates_and_beyond_end_at_their_first_byte)
{
    assert_ill_formed("\xe0\x9f\xbf", 1);
    assert_ill_formed("\xf0\x8f\xbf\xbf", 1);
    assert_ill_formed("\xed\xa0\x80", 1);
    assert_ill_formed("\xed\xbf\xbf", 1);
    assert_ill_formed("\xf4\x90\x80\x80", 1);
}

TEST(a_cut_sequence_is_ill_formed_as_far_as_it_goes)
{
    assert_ill_formed("\xc3", 1);
    assert_ill_formed("\xc3x", 1);
    assert_ill_formed("\xe2\x82", 2);
    assert_ill_formed("\xe2\x82x", 2);
    assert_ill_formed("\xf0\x9f\x98", 3);
    assert_ill_formed("\xf0\x9f\x98x", 3);
    assert_ill_formed("\xf0\x9fx\x80", 2);
    assert_ill_formed("\xf0\x9f\xc3\x80", 2);
}

static size_t encode(uint32_t point, uint8_t bytes[4])
{
    if (point < 0x80) {
        bytes[0] = (uint8_t)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i != 0; i--, point >>= 6)
        bytes[i] = (uint8_t)(0x80 | (point & 0x3f));
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (uint8_t)(marks[length] | point);
    return length;
}

/*
 * The well-formed sequences of up to three bytes, and the beginnings of well-formed sequences,
 * collected from all code points.
 */
struct prefixes {
    /* For each length, a bit for each sequence that is a whole character. */
    uint8_t whole[4][1 << 21];
    uint8_t begun[4][1 << 21];
};

static size_t index_of(const uint8_t *bytes, size_t length)
{
    size_t index = 0;
    for (size_t i = 0; i < length; i++)
        index = index << 8 | bytes[i];
    return index;
}

static void set_bit(uint8_t *bits, size_t index)
{
    bits[index / 8] |= (uint8_t)(1 << index % 8);
}

static bool has_bit(const uint8_t *bits, size_t index)
{
    return (bits[index / 8] >> index % 8 & 1) != 0;
}

static struct prefixes *all_prefixes(void)
{
    struct prefixes *known = calloc(1, sizeof *known);
    assert_non_null(known);
    for (uint32_t point = 0; point < 0x110000; point++) {
        if (point >= 0xd800 && point < 0xe000)
            continue;
        uint8_t bytes[4];
        size_t length = encode(point, bytes);
        if (length < 4)
            set_bit(known->whole[length - 1], index_of(bytes, length));
        for (size_t i = 1; i < length; i++)
            set_bit(known->begun[i - 1], index_of(bytes, i));
    }
    return known;
}

/*
 * Returns the length of the sequence at `bytes` by the definition in table D93b of the Unicode
 * standard.
 */
static size_t reference_length(const struct prefixes *known, const uint8_t bytes[3], bool *valid)
{
    size_t longest = 1;
    for (size_t length = 1; length <= 3; length++) {
        size_t index = index_of(bytes, length);
        *valid = has_bit(known->whole[length - 1], index);
        if (*valid)
            return length;
        if (has_bit(known->begun[length - 1], index))
            longest = length;
    }
    return longest;
}

TEST(every_string_of_three_bytes_is_classified_as_the_standard_says)
{
    struct prefixes *known = all_prefixes();
    for (uint32_t i = 0; i < 1 << 24; i++) {
        uint8_t bytes[3] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
        bool expected_valid, valid;
        size_t expected = reference_length(known, bytes, &expected_valid);
        size_t length = utf8_sequence(bytes, sizeof bytes, &valid);
        if (length != expected || valid != expected_valid)
            fail_msg("%06x: length %zu, valid %d", (unsigned)i, length, valid);
    }
    free(known);
}

TEST(every_code_point_but_surrogates_is_well_formed)
{
    for (uint32_t point = 0; point < 0x200000; point++) {
        uint8_t bytes[4];
        size_t size = encode(point, bytes);
        bool expected = point < 0x110000 && (point < 0xd800 || point >= 0xe000);
        if (utf8_valid(bytes, size) != expected)
            fail_msg("U+%04X", (unsigned)point);
        if (utf8_valid(bytes, size - 1) != (size == 1))
            fail_msg("U+%04X cut short", (unsigned)point);
    }
}

TEST(a_bad_byte_is_found_at_any_position)
{
    for (size_t size = 0; size < 40; size++) {
        /* A block of the exact size, so that a sanitizer detects a read past its end. */
        char *text = malloc(size == 0 ? 1 : size);
        assert_non_null(text);
        memset(text, 'a', size);
        assert_true(utf8_valid(text, size));
        for (size_t at = 0; at < size; at++) {
            text[at] = '\x80';
            assert_false(utf8_valid(text, size));
            text[at] = '\xc3';
            assert_false(utf8_valid(text, size));
            if (at + 1 < size) {
                text[at + 1] = '\xa9';
                assert_true(utf8_valid(text, size));
                text[at + 1] = 'a';
            }
            text[at] = 'a';
        }
        free(text);
    }
}

TEST(an_empty_text_is_well_formed)
{
    assert_true(utf8_valid(NULL, 0));
}
