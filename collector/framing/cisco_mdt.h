/*
 * Reads the header that precedes each message of Cisco's model-driven telemetry, over UDP and TCP.
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_CISCO_MDT_H
#define SLUICE_COLLECTOR_FRAMING_CISCO_MDT_H

#include <stdint.h>

#include "collector/base/byte_order.h"

/*
 * The header's size in bytes. Its fields are big-endian: type u16, encapsulation u16, version u16,
 * flags u16, number of the following bytes u32.
 */
#define CISCO_MDT_HEADER 12

enum cisco_mdt_type { CISCO_MDT_DATA = 1, CISCO_MDT_HEARTBEAT = 2 };
enum cisco_mdt_encapsulation { CISCO_MDT_GPB = 1, CISCO_MDT_JSON = 2 };

struct cisco_mdt {
    uint16_t type;          /* enum cisco_mdt_type, or another value */
    uint16_t encapsulation; /* enum cisco_mdt_encapsulation, or another value */
    uint32_t size;          /* bytes of the message */
};

/* Reads a header. `header` must have CISCO_MDT_HEADER bytes. */
static inline struct cisco_mdt cisco_mdt_read(const uint8_t *header)
{
    return (struct cisco_mdt){.type = network_u16(header),
                              .encapsulation = network_u16(header + 2),
                              .size = network_u32(header + 8)};
}

#endif
