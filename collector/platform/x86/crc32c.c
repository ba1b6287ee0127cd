/* Implements crc32c() with the instruction of SSE 4.2, for gcc and clang. */
#include "collector/platform/machine.h"

#include <string.h>

#include "collector/platform/common/crc32c_pieces.h"

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
    for (; size >= 3 * CRC32C_PIECE; size -= 3 * CRC32C_PIECE, next += 3 * CRC32C_PIECE) {
        uint64_t second = 0;
        uint64_t third = 0;
        for (size_t i = 0; i < CRC32C_PIECE; i += 8) {
            crc = __builtin_ia32_crc32di(crc, crc32c_load(next + i));
            second = __builtin_ia32_crc32di(second, crc32c_load(next + CRC32C_PIECE + i));
            third = __builtin_ia32_crc32di(third, crc32c_load(next + 2 * CRC32C_PIECE + i));
        }
        crc = crc32c_move(crc32c_move((uint32_t)crc) ^ (uint32_t)second) ^ (uint32_t)third;
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
