#include <stdlib.h>
#include <string.h>

#include "collector/text/base64.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

/*
 * Decodes from and to blocks of their exact sizes, so that the address sanitizer detects reads and
 * writes past them.
 */
static size_t decode(const char *text, size_t size, uint8_t *bytes, size_t *used)
{
    char *copy = malloc(size == 0 ? 1 : size);
    uint8_t *out = malloc(base64_most(size) == 0 ? 1 : base64_most(size));
    assert_non_null(copy);
    assert_non_null(out);
    memcpy(copy, text, size);
    size_t good = base64_decode(copy, size, out, used);
    assert_in_range(good, 0, size);
    assert_in_range(*used, 0, base64_most(size));
    memcpy(bytes, out, *used);
    free(copy);
    free(out);
    return good;
}

static void assert_stands_for(const char *text, const char *expected)
{
    uint8_t bytes[64];
    size_t used;
    assert_int_equal(decode(text, strlen(text), bytes, &used), strlen(text));
    assert_int_equal(used, strlen(expected));
    assert_memory_equal(bytes, expected, used);
}

static void assert_fault_at(const char *text, size_t at)
{
    uint8_t bytes[64];
    size_t used;
    assert_int_equal(decode(text, strlen(text), bytes, &used), at);
}

/* The test vectors of RFC 4648, section 10. */
TEST(the_standards_examples_are_read)
{
    assert_stands_for("", "");
    assert_stands_for("Zg==", "f");
    assert_stands_for("Zm8=", "fo");
    assert_stands_for("Zm9v", "foo");
    assert_stands_for("Zm9vYg==", "foob");
    assert_stands_for("Zm9vYmE=", "fooba");
    assert_stands_for("Zm9vYmFy", "foobar");
}

TEST(a_group_that_is_not_whole_is_refused)
{
    assert_fault_at("Z", 0);
    assert_fault_at("Zm9", 0);
    assert_fault_at("Zm9vYg", 4);
    assert_fault_at("Zm9vYg=", 4);
}

TEST(padding_is_only_allowed_at_the_end)
{
    assert_fault_at("Zg==Zg==", 2);
    assert_fault_at("Z===", 1);
    assert_fault_at("====", 0);
    assert_fault_at("Zm=v", 2);
    assert_fault_at("Zm9v====", 4);
    assert_fault_at("Zg==\n", 2);
}

TEST(unused_bits_are_zero)
{
    assert_fault_at("Zh==", 1);
    assert_fault_at("Zm9=", 2);
    assert_stands_for("Zm8=", "fo");
}

TEST(other_characters_are_refused_with_their_position)
{
    assert_fault_at("Zm9-", 3);
    assert_fault_at("Z_9v", 1);
    assert_fault_at("Zm9vYm\nE=", 6);
    assert_fault_at(" Zm9", 0);
    assert_fault_at("Zm9v\xc3\xa4"
                    "aa",
                    4);
}

TEST(whatever_is_written_is_read_back_and_no_part_of_it_is_more)
{
    uint64_t state = 1;
    for (size_t size = 0; size < 300; size++) {
        uint8_t bytes[300], back[300];
        char text[404];
        size_t used;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)next_random(&state);
        struct output out = {.data = text, .capacity = sizeof text};
        base64_put(&out, bytes, size);
        assert_int_equal(decode(text, out.used, back, &used), out.used);
        assert_int_equal(used, size);
        assert_memory_equal(back, bytes, size);
        for (size_t cut = 1; cut < 4 && cut < out.used; cut++)
            assert_int_equal(decode(text, out.used - cut, back, &used), out.used - 4);
    }
}

TEST(random_characters_are_read_or_refused)
{
    static const char characters[] = "AZaz09+/==-_ \n\x80";
    uint64_t state = 2;
    for (int i = 0; i < 20000; i++) {
        char text[24];
        uint8_t bytes[24];
        size_t used;
        size_t size = next_below(&state, sizeof text + 1);
        for (size_t at = 0; at < size; at++)
            text[at] = characters[next_below(&state, sizeof characters - 1)];
        size_t good = decode(text, size, bytes, &used);
        assert_true(good == size ? size % 4 == 0 : used <= good / 4 * 3);
    }
}
