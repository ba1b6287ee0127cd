/* Tests globs: what they match, byte by byte, and the limit of their steps. */
#include <stdlib.h>
#include <string.h>

#include "collector/text/glob.h"
#include "tests/support/test.h"

static struct text text_of(const char *text)
{
    return (struct text){text, strlen(text)};
}

static bool matches(const char *glob, const char *text)
{
    struct text pattern = text_of(glob), subject = text_of(text);
    size_t steps = 0;
    bool found = glob_matches(&pattern, &subject, &steps, SIZE_MAX);
    assert_in_range(steps, 0, (pattern.size + 1) * (subject.size + 1));
    return found;
}

TEST(a_byte_matches_itself)
{
    assert_true(matches("cpu.load[1]", "cpu.load[1]"));
    assert_false(matches("cpu.load", "cpuxload"));
    assert_false(matches("cpu", "CPU"));
    assert_false(matches("cpu", "cpu1"));
    assert_false(matches("cpu1", "cpu"));
    assert_true(matches("\\", "\\"));
}

TEST(a_star_matches_any_bytes_or_none)
{
    assert_true(matches("*", ""));
    assert_true(matches("*", "anything at all"));
    assert_true(matches("cpu*", "cpu"));
    assert_true(matches("cpu*", "cpu.load"));
    assert_false(matches("cpu*", "a cpu"));
    assert_true(matches("*.load", "cpu.load"));
    assert_false(matches("*.load", "cpu.load1"));
    assert_true(matches("*load*", "cpu.load1"));
    assert_true(matches("a*b*c", "a-b-b-c-c"));
    assert_false(matches("a*b*c", "a-c-b"));
    assert_true(matches("***a**", "bab"));
    assert_true(matches("a*", "a*"));
}

TEST(a_question_mark_matches_one_byte)
{
    assert_true(matches("web?", "web1"));
    assert_false(matches("web?", "web"));
    assert_false(matches("web?", "web10"));
    assert_true(matches("?*", "x"));
    assert_false(matches("?*", ""));
    assert_true(matches("*?b", "aab"));
    assert_false(matches("caf?", "caf\xc3\xa9")); /* a character of two bytes */
    assert_true(matches("caf??", "caf\xc3\xa9"));
    assert_true(matches("x?y", "x\xffy"));
}

TEST(an_empty_glob_matches_only_an_empty_text)
{
    static const struct text none = {NULL, 0}, star = {"*", 1}, x = {"x", 1};
    size_t steps = 0;
    assert_true(matches("", ""));
    assert_false(matches("", "x"));
    assert_true(glob_matches(&none, &none, &steps, SIZE_MAX));
    assert_true(glob_matches(&star, &none, &steps, SIZE_MAX));
    assert_false(glob_matches(&x, &none, &steps, SIZE_MAX));
    assert_false(glob_matches(&none, &x, &steps, SIZE_MAX));
    assert_false(glob_is_one(&none));
}

TEST(all_bytes_are_bytes)
{
    const struct text glob = {"a\0*", 3}, good = {"a\0b", 3}, bad = {"a", 1};
    size_t steps = 0;
    assert_true(glob_matches(&glob, &good, &steps, SIZE_MAX));
    assert_false(glob_matches(&glob, &bad, &steps, SIZE_MAX));
}

/*
 * The definition of a match. The test compares it with the program's result for all patterns and
 * texts of a small alphabet.
 */
static bool by_definition(const char *glob, const char *text)
{
    if (*glob == '\0')
        return *text == '\0';
    if (*glob == '*')
        return by_definition(glob + 1, text) || (*text != '\0' && by_definition(glob, text + 1));
    return *text != '\0' && (*glob == '?' || *glob == *text) && by_definition(glob + 1, text + 1);
}

/*
 * Writes the text that has this number. Each digit is a letter of the alphabet, and the first 0
 * ends the text.
 */
static void spell(unsigned number, const char *alphabet, char *text)
{
    unsigned base = (unsigned)strlen(alphabet) + 1;
    for (; number % base != 0; number /= base)
        *text++ = alphabet[number % base - 1];
    *text = '\0';
}

TEST(it_agrees_with_its_definition)
{
    char glob[8], text[8];
    for (unsigned g = 0; g < 5 * 5 * 5 * 5 * 5; g++)
        for (unsigned t = 0; t < 3 * 3 * 3 * 3 * 3 * 3; t++) {
            spell(g, "ab*?", glob);
            spell(t, "ab", text);
            if (matches(glob, text) != by_definition(glob, text))
                fail_msg("'%s' and '%s'", glob, text);
        }
}

TEST(a_hostile_text_costs_no_more_than_their_product)
{
    enum { SIZE = 60000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'a', SIZE);
    const struct text subject = {text, SIZE};
    struct text glob = text_of("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*aaaaaaaaaaaaaaaaaaaaaaaaaaab");
    size_t steps = 0;
    assert_false(glob_matches(&glob, &subject, &steps, SIZE_MAX));
    assert_in_range(steps, SIZE, glob.size * SIZE);
    free(text);
}

TEST(it_stops_at_its_limit)
{
    const struct text glob = {"a*b*c", 5}, text = {"a---b---c", 9};
    size_t needed = 0;
    assert_true(glob_matches(&glob, &text, &needed, SIZE_MAX));
    size_t steps = 7;
    assert_true(glob_matches(&glob, &text, &steps, 7 + needed));
    assert_int_equal(steps, 7 + needed);
    steps = 7;
    assert_false(glob_matches(&glob, &text, &steps, 7 + needed - 1));
    assert_int_equal(steps, 7 + needed);
}

TEST(a_glob_is_distinct_from_a_plain_text)
{
    const struct text plain = text_of("a.b"), star = text_of("a*"), mark = text_of("?a");
    assert_false(glob_is_one(&plain));
    assert_true(glob_is_one(&star));
    assert_true(glob_is_one(&mark));
}
