#include <string.h>

#include "collector/control/control_answer.h"
#include "tests/support/test.h"

#define NO_CHARACTER "\xef\xbf\xbd" /* U+FFFD, the replacement for an invalid byte */

static char room[256];

static bool read_answer(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                        struct output *text)
{
    *text = (struct output){.data = room, .capacity = sizeof room};
    return control_answer_read(answer, size, what, text);
}

static void assert_says(const char *answer, const char *what, const char *text)
{
    char found[CONTROL_WHAT_SIZE];
    struct output out;
    assert_true(read_answer(answer, strlen(answer), found, &out));
    assert_string_equal(found, what);
    assert_int_equal(out.used, strlen(text));
    assert_memory_equal(out.data, text, out.used);
}

static void assert_says_nothing(const char *answer, size_t size)
{
    char found[CONTROL_WHAT_SIZE];
    struct output out;
    assert_false(read_answer(answer, size, found, &out));
}

TEST(an_answer_says_what_and_a_text)
{
    assert_says("{\"reload\":\"done\"}", "reload", "done");
    assert_says("{\"refused\":\"\"}", "refused", "");
    assert_says("{\"report\":\"one\\ntwo\\n\"}", "report", "one\ntwo\n");
    assert_says("{\"error\":\"a \\\"b\\\" \\\\ \\/\"}", "error", "a \"b\" \\ /");
    assert_says("{\"error\":\"caf\xc3\xa9 \xf0\x9f\x98\x80\"}", "error",
                "caf\xc3\xa9 \xf0\x9f\x98\x80");
}

TEST(escapes_of_numbers_are_characters)
{
    assert_says("{\"error\":\"\\u0041\\u00e9\\u20AC\"}", "error", "A\xc3\xa9\xe2\x82\xac");
    assert_says("{\"error\":\"\\ud83d\\ude00\"}", "error", "\xf0\x9f\x98\x80");
    assert_says("{\"error\":\"\\ud83d\"}", "error", NO_CHARACTER);
    assert_says("{\"error\":\"\\ude00\\ud83dx\"}", "error", NO_CHARACTER NO_CHARACTER "x");
    assert_says("{\"error\":\"\\ud83d\\u0041\"}", "error", NO_CHARACTER "A");
}

TEST(no_control_character_but_a_newline_gets_to_a_terminal)
{
    assert_says("{\"error\":\"\\u001b[2J\\r\\t\\b\\f\\n\\u007f\\u009b\"}", "error",
                NO_CHARACTER "[2J" NO_CHARACTER NO_CHARACTER NO_CHARACTER NO_CHARACTER
                             "\n" NO_CHARACTER NO_CHARACTER);
    assert_says("{\"error\":\"\x1b[2J\x7f\xc2\x9b\xc2\xa0\"}", "error",
                NO_CHARACTER "[2J" NO_CHARACTER NO_CHARACTER "\xc2\xa0");
}

TEST(what_is_no_utf8_is_replaced)
{
    assert_says("{\"error\":\"\xff\xe2\x82-\"}", "error", NO_CHARACTER NO_CHARACTER "-");
}

TEST(what_is_cut_anywhere_says_nothing)
{
    const char answer[] = "{\"error\":\"a\\n\\ud83d\\ude00\xc3\xa9\"}";
    for (size_t size = 0; size < strlen(answer); size++)
        assert_says_nothing(answer, size);
}

TEST(other_things_say_nothing)
{
    const char *const others[] = {
        "{\"final\":false}",
        "{}",
        "{\"a\":\"b\"}x",
        "{\"a\":\"b\",\"c\":\"d\"}",
        "[\"a\"]",
        "{\"\":\"b\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\": \"b\"}",
        "{\"aaaaaaaaaaaaaaaa\":\"b\"}",
        "HTTP/1.1 200 OK\r\n ",
        "{\"A\":\"b\"}",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_says_nothing(others[i], strlen(others[i]));
}

TEST(a_text_without_room_is_none)
{
    const char answer[] = "{\"error\":\"0123456789\"}";
    char found[CONTROL_WHAT_SIZE];
    struct output text = {.data = room, .capacity = 9};
    assert_false(control_answer_read(answer, strlen(answer), found, &text));
    text = (struct output){.data = room, .capacity = 10};
    assert_true(control_answer_read(answer, strlen(answer), found, &text));
}
