#include <string.h>

#include "collector/senders/sender_key_line.h"
#include "tests/support/test.h"

#define ID      "00000000000000ff"
#define KEY     "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define HEX_KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1E1F"

static struct sender_key_line line;

static const char *parse(const char *text)
{
    return sender_key_line_parse(text, strlen(text), &line);
}

static void expect_fault(const char *text, const char *begin)
{
    const char *fault = parse(text);
    assert_non_null(fault);
    if (strncmp(fault, begin, strlen(begin)) != 0)
        fail_msg("%s: %s", text, fault);
}

TEST(a_line_has_name_id_and_key)
{
    assert_null(parse("router-1.ams " ID " " KEY));
    assert_string_equal(line.name, "router-1.ams");
    assert_int_equal(line.id, 255);
    for (size_t i = 0; i < sizeof line.key; i++)
        assert_int_equal(line.key[i], i);
    assert_true(line.not_before_ns == INT64_MIN && line.not_after_ns == INT64_MAX);
}

TEST(a_key_may_be_hexadecimal)
{
    assert_null(parse("a " ID " " HEX_KEY));
    for (size_t i = 0; i < sizeof line.key; i++)
        assert_int_equal(line.key[i], i);
}

TEST(words_are_separated_by_spaces_and_tabs)
{
    assert_null(parse(" \ta\t" ID "  \t" KEY "\t not-after=2026-01-01T00:00:00Z "));
}

TEST(a_key_has_a_time_from_which_and_until_which_it_is_valid)
{
    assert_null(
        parse("a " ID " " KEY " not-before=1970-01-01T00:00:01Z not-after=1970-01-01T00:00:02.5Z"));
    assert_int_equal(line.not_before_ns, 1000000000);
    assert_int_equal(line.not_after_ns, 2500000000);
    assert_null(parse("a " ID " " KEY " not-after=1970-01-01T00:00:02Z"));
    assert_true(line.not_before_ns == INT64_MIN);
    expect_fault("a " ID " " KEY " not-before=2026-01-02T00:00:00Z not-after=2026-01-01T00:00:00Z",
                 "not-before= is later");
}

TEST(names_are_safe_in_paths_and_labels)
{
    expect_fault("", "a line begins with a sender's name");
    expect_fault("- " ID " " KEY, "a line begins");
    expect_fault(".. " ID " " KEY, "a line begins");
    expect_fault("a/b " ID " " KEY, "a line begins");
    expect_fault("a\"b " ID " " KEY, "a line begins");
    expect_fault("\xc3\xa4 " ID " " KEY, "a line begins");
    char name[65] = "a123456789b123456789c123456789d123456789e123456789f123456789g123";
    assert_false(sender_key_is_name(name));
    name[63] = '\0';
    assert_true(sender_key_is_name(name));
}

TEST(ids_are_16_digits_and_not_0)
{
    expect_fault("a", "the name is followed by the key's id");
    expect_fault("a 0000000000000000 " KEY, "the name is");
    expect_fault("a 000000000000001 " KEY, "the name is");
    expect_fault("a 00000000000000001 " KEY, "the name is");
    expect_fault("a 000000000000000g " KEY, "the name is");
}

TEST(keys_are_32_bytes)
{
    expect_fault("a " ID, "the id is followed by the key");
    expect_fault("a " ID " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", "the id is");
    expect_fault("a " ID " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", "the id is");
    expect_fault("a " ID " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "the id is");
    expect_fault("a " ID " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh!=", "the id is");
    expect_fault("a " ID " " HEX_KEY "0", "the id is");
    expect_fault("a " ID " z00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                 "the id is");
}

TEST(nothing_unknown_and_nothing_twice_follows_the_key)
{
    expect_fault("a " ID " " KEY " x", "the key may be");
    expect_fault("a " ID " " KEY " not-before=", "the key may be");
    expect_fault("a " ID " " KEY " not-before=2026-01-01", "the key may be");
    expect_fault("a " ID " " KEY " not-before=2026-01-01T00:00:00.123456789123456789123456789Z",
                 "the key may be");
    expect_fault("a " ID " " KEY " not-after=2026-01-01T00:00:00Z not-after=2026-01-01T00:00:00Z",
                 "the key may be");
}

TEST(a_line_that_is_written_is_read)
{
    char text[SENDER_KEY_LINE_SIZE];
    struct output out = {.data = text, .capacity = sizeof text};
    assert_null(parse("name " ID " " HEX_KEY));
    sender_key_line_put(&out, &line);
    assert_false(out.overflow);
    assert_int_equal(out.used, strlen("name " ID " " KEY));
    assert_memory_equal(text, "name " ID " " KEY, out.used);
}
