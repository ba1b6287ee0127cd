/*
 * Compares both implementations of CRC-32C with each other and with the vectors of RFC 3720,
 * appendix B.4.
 */
#include <string.h>

#include "collector/platform/machine.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static void assert_both(const void *bytes, size_t size, uint32_t expected)
{
    assert_int_equal(crc32c(0, bytes, size), expected);
    assert_int_equal(crc32c_by_table(0, bytes, size), expected);
}

TEST(it_is_that_of_rfc_3720)
{
    static const uint8_t read_command[48] = {
        0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0,
        0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 2,    0, 0, 0, 0, 0, 0, 0};
    uint8_t bytes[32] = {0};
    assert_both(bytes, 32, 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_both(bytes, 32, 0x62a8ab43);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_both(bytes, 32, 0x46dd794e);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_both(bytes, 32, 0x113fdb5c);
    assert_both(read_command, 48, 0xd9963a56);
    assert_both("123456789", 9, 0xe3069283);
    assert_both("", 0, 0);
}

TEST(every_size_and_place_in_memory_has_the_same_one_in_both_ways)
{
    static uint8_t bytes[40000];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(&seed);
    for (size_t size = 0; size < 200; size++)
        assert_int_equal(crc32c(7, bytes + size % 9, size),
                         crc32c_by_table(7, bytes + size % 9, size));
    for (unsigned i = 0; i < 500; i++) {
        size_t from = (size_t)next_below(&seed, 64);
        size_t size = (size_t)next_below(&seed, sizeof bytes - from);
        assert_int_equal(crc32c(i, bytes + from, size), crc32c_by_table(i, bytes + from, size));
    }
}

TEST(the_checksum_of_parts_is_that_of_the_whole)
{
    static uint8_t bytes[30000];
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_random(&seed);
    uint32_t whole = crc32c(0, bytes, sizeof bytes);
    for (size_t cut = 0; cut <= sizeof bytes; cut += 997)
        assert_int_equal(crc32c(crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut), whole);
}
