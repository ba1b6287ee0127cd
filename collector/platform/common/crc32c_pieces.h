/*
 * The pieces in which crc32c() (collector/platform/machine.h) uses the processor's instruction. An
 * instruction takes about three cycles, and one can start in each cycle. So the checksums of three
 * adjacent pieces are computed in parallel and then combined. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_CRC32C_PIECES_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_CRC32C_PIECES_H

#include <stddef.h>
#include <stdint.h>

/* The size of a piece in bytes. */
#define CRC32C_PIECE ((size_t)4096)

/*
 * Returns the checksum `crc` (without the final exclusive or) after CRC32C_PIECE further zero
 * bytes.
 */
uint32_t crc32c_move(uint32_t crc);

#endif
