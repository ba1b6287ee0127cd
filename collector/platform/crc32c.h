/*
 * CRC-32C (Castagnoli), as RFC 3720, section 12.1, and its appendix B.4 have it: polynomial
 * 0x1EDC6F41, reflected, begun with ones and inverted at the end. By the processor's instruction
 * where there is one, which the program finds out while it runs. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CRC32C_H
#define SLUICE_COLLECTOR_PLATFORM_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of what `before` is the checksum of (0: of nothing), and `size` bytes after it. */
uint32_t crc32c(uint32_t before, const void *bytes, size_t size);

/* The same without the instruction: 18 times as slow. */
uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t size);

#endif
