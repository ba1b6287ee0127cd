/*
 * Reads and writes unsigned integers in packets and files, in either byte order: most significant
 * byte first (network order) or least significant byte first. The bytes need no alignment.
 */
#ifndef SLUICE_COLLECTOR_BASE_BYTE_ORDER_H
#define SLUICE_COLLECTOR_BASE_BYTE_ORDER_H

#include <stdint.h>

enum byte_order { BYTE_ORDER_BIG_ENDIAN, BYTE_ORDER_LITTLE_ENDIAN };

/* Return the number in the first 2 or 4 bytes of `bytes`, in network order. */
static inline uint16_t network_u16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t network_u32(const uint8_t *bytes)
{
    return (uint32_t)network_u16(bytes) << 16 | network_u16(bytes + 2);
}

/* Return the number in the first 2, 4 or 8 bytes of `bytes`, in the given order. */
static inline uint16_t ordered_u16(enum byte_order order, const uint8_t *bytes)
{
    if (order == BYTE_ORDER_BIG_ENDIAN)
        return network_u16(bytes);
    return (uint16_t)(bytes[1] << 8 | bytes[0]);
}

static inline uint32_t ordered_u32(enum byte_order order, const uint8_t *bytes)
{
    if (order == BYTE_ORDER_BIG_ENDIAN)
        return network_u32(bytes);
    return (uint32_t)ordered_u16(order, bytes + 2) << 16 | ordered_u16(order, bytes);
}

static inline uint64_t ordered_u64(enum byte_order order, const uint8_t *bytes)
{
    uint64_t first = ordered_u32(order, bytes);
    uint64_t second = ordered_u32(order, bytes + 4);
    return order == BYTE_ORDER_BIG_ENDIAN ? first << 32 | second : second << 32 | first;
}

/*
 * Returns the number in 8 bytes, least significant byte first. Compilers reduce this to one load.
 */
static inline uint64_t little_u64(const uint8_t bytes[8])
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Store a number in network order. */
static inline void put_network_u16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static inline void put_network_u32(uint8_t *bytes, uint32_t value)
{
    put_network_u16(bytes, value >> 16);
    put_network_u16(bytes + 2, value & 0xffff);
}

/* Store a number with its least significant byte first, as in this program's own formats. */
static inline void put_little_u16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void put_little_u32(uint8_t *bytes, uint32_t value)
{
    put_little_u16(bytes, value & 0xffff);
    put_little_u16(bytes + 2, value >> 16);
}

static inline void put_little_u64(uint8_t *bytes, uint64_t value)
{
    put_little_u32(bytes, (uint32_t)value);
    put_little_u32(bytes + 4, (uint32_t)(value >> 32));
}

#endif
