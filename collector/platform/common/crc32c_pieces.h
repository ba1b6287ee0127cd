/*
 * The pieces in which a processor's instruction sums a checksum (CRC-32C,
 * collector/platform/machine.h). An instruction takes about three cycles, and one can start in each
 * cycle. So three adjacent pieces are summed in parallel, and the sums are combined. Pure; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_CRC32C_PIECES_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_CRC32C_PIECES_H

#include <stddef.h>
#include <stdint.h>

/* The size of a piece in bytes. */
#define CRC32C_PIECE ((size_t)4096)

/* Returns the sum `crc` (without the final exclusive or) after CRC32C_PIECE further zero bytes. */
uint32_t crc32c_move(uint32_t crc);

#endif
