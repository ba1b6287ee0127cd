/* Tests SipHash-2-4-128 against the vectors of its authors' reference implementation. */

#include "collector/base/siphash.h"
#include "tests/support/test.h"

static void fill_counting(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)i;
}

static void assert_hash(size_t size, uint64_t first, uint64_t second)
{
    uint8_t key[16], input[64];
    fill_counting(key, sizeof key);
    fill_counting(input, sizeof input);
    struct siphash hash;
    uint64_t result[2];
    siphash_begin(&hash, key);
    siphash_feed(&hash, input, size);
    siphash_end(&hash, result);
    assert_true(result[0] == first);
    assert_true(result[1] == second);
}

TEST(it_agrees_with_the_reference)
{
    assert_hash(0, UINT64_C(0xe6a825ba047f81a3), UINT64_C(0x930255c71472f66d));
    assert_hash(7, UINT64_C(0x53c1dbd8beebf1a1), UINT64_C(0x3982f01fa64ab8c0));
    assert_hash(8, UINT64_C(0x61f55862baa9623b), UINT64_C(0xb49714f364e2830f));
    assert_hash(15, UINT64_C(0x11a8b03399e99354), UINT64_C(0xd9c3cf970fec087e));
    assert_hash(63, UINT64_C(0x4a83502f77d15051), UINT64_C(0x7cbd3f979a063e50));
}

TEST(the_pieces_it_is_fed_in_do_not_matter)
{
    uint8_t key[16] = {7}, input[64];
    fill_counting(input, sizeof input);
    for (size_t size = 0; size <= sizeof input; size++) {
        struct siphash whole;
        uint64_t expected[2];
        siphash_begin(&whole, key);
        siphash_feed(&whole, input, size);
        siphash_end(&whole, expected);
        for (size_t cut = 0; cut <= size; cut++) {
            struct siphash hash;
            uint64_t result[2];
            siphash_begin(&hash, key);
            siphash_feed(&hash, input, cut);
            siphash_feed(&hash, NULL, 0);
            siphash_feed(&hash, input + cut, size - cut);
            siphash_end(&hash, result);
            assert_memory_equal(result, expected, sizeof result);
        }
    }
}
