/*
 * Implements crc32c() with the instruction of arm64, which is optional in ARMv8.0 and part of
 * ARMv8.1. Needs Linux, whose kernel reports whether the processor has the instruction, gcc or
 * clang, and a little-endian processor. CMake sets the compiler's option for the instruction.
 */
#include "collector/platform/machine.h"

#include <arm_acle.h>
#include <asm/hwcap.h>
#include <string.h>
#include <sys/auxv.h>

#include "collector/platform/common/crc32c_pieces.h"

static uint64_t crc32c_load(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t by_instruction(uint32_t before, const uint8_t *next, size_t size)
{
    uint32_t crc = ~before;
    for (; size >= 3 * CRC32C_PIECE; size -= 3 * CRC32C_PIECE, next += 3 * CRC32C_PIECE) {
        uint32_t second = 0;
        uint32_t third = 0;
        for (size_t i = 0; i < CRC32C_PIECE; i += 8) {
            crc = __crc32cd(crc, crc32c_load(next + i));
            second = __crc32cd(second, crc32c_load(next + CRC32C_PIECE + i));
            third = __crc32cd(third, crc32c_load(next + 2 * CRC32C_PIECE + i));
        }
        crc = crc32c_move(crc32c_move(crc) ^ second) ^ third;
    }
    for (; size >= 8; size -= 8, next += 8)
        crc = __crc32cd(crc, crc32c_load(next));
    for (; size > 0; size--)
        crc = __crc32cb(crc, *next++);
    return ~crc;
}

uint32_t crc32c(uint32_t before, const void *bytes, size_t size)
{
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0 ? by_instruction(before, bytes, size)
                                                    : crc32c_by_table(before, bytes, size);
}
