#include "collector/platform/common/crc32c_pieces.h"

/*
 * The effect of CRC32C_PIECE further zero bytes on each bit of a checksum: x^(8 * CRC32C_PIECE +
 * bit) in the reflected field of the polynomial.
 */
static const uint32_t moved[32] = {
    0xc2a5b65e, 0x80a71a4d, 0x04a2426b, 0x094484d6, 0x128909ac, 0x25121358, 0x4a2426b0, 0x94484d60,
    0x2d7cec31, 0x5af9d862, 0xb5f3b0c4, 0x6e0b1779, 0xdc162ef2, 0xbdc02b15, 0x7e6c20db, 0xfcd841b6,
    0xfc5cf59d, 0xfd559dcb, 0xff474d67, 0xfb62ec3f, 0xf329ae8f, 0xe3bf2bef, 0xc292212f, 0x80c834af,
    0x047c1faf, 0x08f83f5e, 0x11f07ebc, 0x23e0fd78, 0x47c1faf0, 0x8f83f5e0, 0x1aeb9d31, 0x35d73a62,
};

uint32_t crc32c_move(uint32_t crc)
{
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        result ^= moved[bit] & (UINT32_C(0) - (crc >> bit & 1));
    return result;
}
