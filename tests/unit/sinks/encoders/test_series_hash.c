/*
 * Tests the hash of a series. Another program computed the expected values from the description in
 * series_hash.h. They must not change between versions, because the hash determines which series a
 * sink keeps.
 */
#include <string.h>

#include "sinks/encoders/series_hash.h"
#include "tests/support/test.h"

static uint64_t of_name(const char *name)
{
    const struct text text = {name, strlen(name)};
    return series_hash_name(&text);
}

static uint64_t of_label(const void *key, size_t key_size, const void *value, size_t value_size)
{
    const struct label label = {.key = {key, key_size}, .value = {value, value_size}};
    return series_hash_label(&label);
}

TEST(it_is_what_its_header_says)
{
    /* This is the first number of SplitMix64 with the seed 0. */
    assert_true(of_name("") == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(of_name("cpu") == UINT64_C(0x5cecc6a0d602dafe));
    assert_true(of_name("12345678") == UINT64_C(0x82177327e1e4daac));
    assert_true(of_name("system.cpu.usage!") == UINT64_C(0x903ea4da279b2b83));
    assert_true(of_label("host", 4, "web1", 4) == UINT64_C(0xe26a92fcbd0171cb));
    assert_true(of_label("host\0", 5, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9) ==
                UINT64_C(0x50f306e0313bccfb));
    assert_true(series_hash_whole(1) == UINT64_C(0x5692161d100b05e5));
}

TEST(a_text_that_is_empty_need_not_be_anywhere)
{
    const struct text none = {NULL, 0};
    assert_true(series_hash_name(&none) == of_name(""));
    assert_true(of_label(NULL, 0, NULL, 0) == UINT64_C(0x42d30092dcd06d20));
}

TEST(what_a_text_is_and_where_it_ends_matters)
{
    assert_true(of_label("host", 4, "web1", 4) != of_label("web1", 4, "host", 4));
    assert_true(of_label("ab", 2, "c", 1) != of_label("a", 1, "bc", 2));
    assert_true(of_label("", 0, "cpu", 3) != of_name("cpu"));
    assert_true(of_label("a", 1, "b", 1) != of_label("a", 1, "b\0", 2));
}
