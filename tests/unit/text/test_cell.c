/* Tests how a text is shown in the columns of a terminal, and its width there. */
#include <string.h>

#include "collector/text/cell.h"
#include "tests/support/test.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define FFFD     "\xef\xbf\xbd"

static void assert_cell(const char *text, size_t most, const char *expected, size_t columns)
{
    char room[256];
    struct output out = {.data = room, .capacity = sizeof room - 1};
    assert_int_equal(cell_put(&out, text, strlen(text), most, false), columns);
    assert_false(out.overflow);
    room[out.used] = '\0';
    assert_string_equal(room, expected);
}

TEST(text_that_fits_is_unchanged)
{
    assert_cell("", 5, "", 0);
    assert_cell("cpu", 5, "cpu", 3);
    assert_cell("cpu.5", 5, "cpu.5", 5);
    assert_cell("gr\xc3\xb6\xc3\x9f", 4, "gr\xc3\xb6\xc3\x9f", 4);
}

TEST(what_does_not_fit_keeps_its_beginning_and_ends_with_an_ellipsis)
{
    assert_cell("cpu.load", 5, "cpu." ELLIPSIS, 5);
    assert_cell("cpu.load", 1, ELLIPSIS, 1);
    assert_cell("cpu.load", 0, "", 0);
    assert_cell("cpu\n\xc3\xb6", 3, "cp" ELLIPSIS, 3);
    assert_cell("\xc3\xb6\xc3\xb6\xc3\xb6", 2, "\xc3\xb6" ELLIPSIS, 2);
}

TEST(the_beginning_of_a_longer_text_ends_with_one_too)
{
    char room[16];
    struct output out = {.data = room, .capacity = sizeof room};
    assert_int_equal(cell_put(&out, "cpu", 3, 5, true), 4);
    assert_memory_equal(room, "cpu" ELLIPSIS, 6);
    out.used = 0;
    assert_int_equal(cell_put(&out, "cpu", 3, 3, true), 3);
    assert_memory_equal(room, "cp" ELLIPSIS, 5);
}

TEST(wide_characters_take_two_columns)
{
    assert_cell("\xe6\x97\xa5\xe6\x9c\xac", 4, "\xe6\x97\xa5\xe6\x9c\xac", 4);
    assert_cell("\xe6\x97\xa5\xe6\x9c\xac", 3, "\xe6\x97\xa5" ELLIPSIS, 3);
    assert_cell("\xe6\x97\xa5\xe6\x9c\xac", 2, ELLIPSIS, 1);
    assert_cell("\xf0\x9f\x98\x80", 2, "\xf0\x9f\x98\x80", 2);
}

TEST(controls_are_shown_and_never_written)
{
    assert_cell("a\nb\rc\td", 80, "a\\nb\\rc\\td", 10);
    assert_cell("\x1b[2J\x7f", 80, "\\x1b[2J\\x7f", 11);
    assert_cell("\xc2\x9b"
                "1m",
                80, "\\x9b1m", 6);
    assert_cell("\xe2\x80\xae"
                "abc",
                80, "\\u202eabc", 9);
    assert_cell("\xf3\xa0\x80\x81", 80, "\\U000e0001", 10);
    /* An escaped character that does not fit is left out as a whole. */
    assert_cell("ab\x1b", 5, "ab" ELLIPSIS, 3);
}

TEST(ill_formed_utf8_becomes_the_replacement_character)
{
    assert_cell("a\xff"
                "b\xe2\x82",
                80, "a" FFFD "b" FFFD, 4);
    assert_cell("\x9b\x9b", 1, ELLIPSIS, 1);
}

TEST(what_is_cut_needs_no_more_room_than_it_has)
{
    char room[4];
    struct output out = {.data = room, .capacity = 4};
    cell_put(&out, "a\xf0\x9f\x98\x80", 5, 2, false); /* "a" and the three bytes of an ellipsis */
    assert_false(out.overflow);
    assert_int_equal(out.used, 4);
    out = (struct output){.data = room, .capacity = 3};
    cell_put(&out, "a\xf0\x9f\x98\x80", 5, 2, false);
    assert_true(out.overflow);
}
