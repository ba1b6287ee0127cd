/* Implements crc32c() with tables, for processors without a known instruction. */
#include "collector/platform/machine.h"

uint32_t crc32c(uint32_t before, const void *bytes, size_t size)
{
    return crc32c_by_table(before, bytes, size);
}
