/* Computes the checksum of IP, UDP and other protocols (RFC 1071). Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CAPTURE_INTERNET_CHECKSUM_H
#define SLUICE_COLLECTOR_CAPTURE_INTERNET_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/byte_order.h"

/* Adds the bytes to the sum as 16-bit numbers; an odd last byte is padded with a zero. */
static inline uint64_t internet_checksum_add(uint64_t sum, const uint8_t *bytes, size_t size)
{
    size_t i = 0;
    for (; i + 1 < size; i += 2)
        sum += network_u16(bytes + i);
    return i < size ? sum + ((uint64_t)bytes[i] << 8) : sum;
}

/* Returns the value for the checksum field. The field itself must be added as 0. */
static inline uint16_t internet_checksum_fold(uint64_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

#endif
