/*
 * Implements crc32c_by_table(), eight bytes at a time (Kounavis and Berry, "Novel table
 * lookup-based algorithms for high-performance CRC generation", 2008).
 */
#include "collector/platform/machine.h"

#include "collector/base/byte_order.h"

/*
 * The checksum is linear: the entry of a byte is the exclusive or of the entries of its bits. So a
 * table is made from eight numbers, the entries of 1, 2, 4 and so on to 128.
 */
#define BIT(byte, bit, entry) ((byte) >> (bit)&1 ? (entry) : UINT32_C(0))
#define ENTRY(n, a, b, c, d, e, f, g, h)                                                           \
    (BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d) ^ BIT(n, 4, e) ^ BIT(n, 5, f) ^     \
     BIT(n, 6, g) ^ BIT(n, 7, h))
#define ENTRIES_4(n, ...)                                                                          \
    ENTRY((n), __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__),             \
        ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES_16(n, ...)                                                                         \
    ENTRIES_4((n), __VA_ARGS__), ENTRIES_4((n) + 4, __VA_ARGS__), ENTRIES_4((n) + 8, __VA_ARGS__), \
        ENTRIES_4((n) + 12, __VA_ARGS__)
#define ENTRIES_64(n, ...)                                                                         \
    ENTRIES_16((n), __VA_ARGS__), ENTRIES_16((n) + 16, __VA_ARGS__),                               \
        ENTRIES_16((n) + 32, __VA_ARGS__), ENTRIES_16((n) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                 \
    {                                                                                              \
        ENTRIES_64(0, __VA_ARGS__), ENTRIES_64(64, __VA_ARGS__), ENTRIES_64(128, __VA_ARGS__),     \
            ENTRIES_64(192, __VA_ARGS__)                                                           \
    }

/* tables[k][byte]: the byte's part of the checksum when k bytes follow it. */
static const uint32_t tables[8][256] = {
    TABLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc,
          0x82f63b78),
    TABLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604,
          0xfbc3faf9),
    TABLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9,
          0x8b277743),
    TABLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7,
          0x52a0c93f),
    TABLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae,
          0x6ea2d55c),
    TABLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb,
          0x1c08b7d6),
    TABLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a,
          0xf56e0ef4),
    TABLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32,
          0x34019664),
};

uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;
    uint32_t crc = ~before;
    for (; size >= 8; size -= 8, next += 8) {
        uint64_t mixed = little_u64(next) ^ crc;
        crc = 0;
        for (unsigned i = 0; i < 8; i++)
            crc ^= tables[7 - i][mixed >> 8 * i & 0xff];
    }
    for (; size > 0; size--)
        crc = crc >> 8 ^ tables[0][(crc ^ *next++) & 0xff];
    return ~crc;
}
