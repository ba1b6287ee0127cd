/* Tests that texts for which libyaml would need a long time are refused early. */
#include <stdlib.h>
#include <string.h>

#include "collector/config/yaml_reading.h"
#include "tests/support/test.h"

static char *repeated(const char *begin, const char *part, size_t times, const char *end)
{
    size_t size = strlen(part);
    size_t at = strlen(begin);
    char *text = malloc(at + times * size + strlen(end) + 1);
    assert_non_null(text);
    memcpy(text, begin, at);
    for (size_t i = 0; i < times; i++, at += size)
        memcpy(text + at, part, size);
    strcpy(text + at, end);
    return text;
}

/*
 * Reads until the end or the first error. Returns that error, or one with the text "" at the end.
 * Frees `text`.
 */
static struct parse_error read_all(char *text, struct provenance_mark *mark)
{
    struct parse_error fault = {.text = ""};
    struct yaml_piece piece = {.kind = PIECE_TEXT};
    struct yaml_reading *reading = yaml_reading_begin(text, strlen(text));
    assert_non_null(reading);
    while (piece.kind != PIECE_END && yaml_reading_next(reading, &piece, &fault, mark))
        continue;
    yaml_reading_end(reading);
    free(text);
    return fault;
}

static const char too_deep[] = "nested more than 100 levels deep";

TEST(a_hundred_levels_are_read_and_no_more)
{
    struct provenance_mark mark;
    char *ends = repeated("", "]", 99, "}");
    assert_string_equal(read_all(repeated("{a: ", "[", 99, ends), &mark).text, "");
    assert_string_equal(read_all(repeated("{a: ", "[", 100, ends), &mark).text, too_deep);
    free(ends);
    assert_int_equal(mark.line, 1);
    assert_int_equal(mark.column, 4 + 100);
}

/* Only the depth is limited, not the number of lists next to each other. */
TEST(a_text_may_be_as_wide_as_it_likes)
{
    struct provenance_mark mark;
    assert_string_equal(read_all(repeated("a: [", "[x], {y: [z]}, ", 1000, "]"), &mark).text, "");
}

/* Without the limit of the depth, libyaml would read these texts for minutes. */
TEST(no_style_nests_deeper)
{
    static const struct {
        const char *begin, *part;
    } styles[] = {{"tests: ", "{a: "}, {"tests: ", "["},     {"tests: ", "[{a: "}, {"", "- "},
                  {"", "? "},          {"tests:\n  ", "- "}, {"", "{? "},          {"", "[a: "}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct provenance_mark mark;
        char *text = repeated(styles[i].begin, styles[i].part, 200000, "");
        assert_string_equal(read_all(text, &mark).text, too_deep);
    }
}

TEST(directives_about_tags_are_refused_before_they_are_compared)
{
    static const char why[] = "tag directives are not supported";
    struct provenance_mark mark;
    assert_string_equal(read_all(repeated("", "%TAG !a! b\n", 1, "---\na: b\n"), &mark).text, why);
    assert_int_equal(mark.line, 1);
    assert_string_equal(
        read_all(repeated("%YAML 1.1\n# a\n\n", "%TAG !a! b\n", 1, "---\na: b\n"), &mark).text,
        why);
    assert_int_equal(mark.line, 4);
    assert_string_equal(read_all(repeated("", "%YAML 1.1\n", 1, "---\na: b\n"), &mark).text, "");
    assert_string_equal(read_all(repeated("", "", 0, ""), &mark).text, "");
}
