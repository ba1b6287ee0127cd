/*
 * crc32c() by the instruction of SSE 4.2, for gcc and clang. An instruction takes three cycles, and
 * one can start in each cycle. So three adjacent pieces are summed in parallel, and the sums are
 * combined.
 */
#include "collector/platform/machine.h"

#include <string.h>

/* Bytes of a piece. */
#define PIECE 4096

/*
 * The effect of PIECE further zero bytes on each bit of a checksum: x^(8 * PIECE + bit) in the
 * reflected field of the polynomial.
 */
static const uint32_t moved[32] = {
    0xc2a5b65e, 0x80a71a4d, 0x04a2426b, 0x094484d6, 0x128909ac, 0x25121358, 0x4a2426b0, 0x94484d60,
    0x2d7cec31, 0x5af9d862, 0xb5f3b0c4, 0x6e0b1779, 0xdc162ef2, 0xbdc02b15, 0x7e6c20db, 0xfcd841b6,
    0xfc5cf59d, 0xfd559dcb, 0xff474d67, 0xfb62ec3f, 0xf329ae8f, 0xe3bf2bef, 0xc292212f, 0x80c834af,
    0x047c1faf, 0x08f83f5e, 0x11f07ebc, 0x23e0fd78, 0x47c1faf0, 0x8f83f5e0, 0x1aeb9d31, 0x35d73a62,
};

static uint64_t move(uint64_t crc)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        result ^= moved[bit] & (UINT32_C(0) - (uint32_t)(crc >> bit & 1));
    return result;
}

static uint64_t crc32c_load(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t before,
                                                                 const uint8_t *next, size_t size)
{
    uint64_t crc = ~before;
    for (; size >= (size_t)3 * PIECE; size -= (size_t)3 * PIECE, next += (size_t)3 * PIECE) {
        uint64_t second = 0;
        uint64_t third = 0;
        for (size_t i = 0; i < PIECE; i += 8) {
            crc = __builtin_ia32_crc32di(crc, crc32c_load(next + i));
            second = __builtin_ia32_crc32di(second, crc32c_load(next + PIECE + i));
            third = __builtin_ia32_crc32di(third, crc32c_load(next + (size_t)2 * PIECE + i));
        }
        crc = move(move(crc) ^ second) ^ third;
    }
    for (; size >= 8; size -= 8, next += 8)
        crc = __builtin_ia32_crc32di(crc, crc32c_load(next));
    uint32_t rest = (uint32_t)crc;
    for (; size > 0; size--)
        rest = __builtin_ia32_crc32qi(rest, *next++);
    return ~rest;
}

uint32_t crc32c(uint32_t before, const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(before, bytes, size)
                                            : crc32c_by_table(before, bytes, size);
}
