#include "tests/support/senders/hosts.h"

struct address host(uint32_t n)
{
    const uint8_t bytes[4] = {10, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
    return address_from_ipv4(bytes, (uint16_t)(n * 7 + 1));
}
