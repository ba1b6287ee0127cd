#include "proto/message/wire.h"

struct wire_number wire_read_long(const uint8_t *at, const uint8_t *end, unsigned most)
{
    static const struct wire_number none;
    if (at == end)
        return none;
    uint64_t value = *at & 0x7f;
    for (unsigned shift = 7; *at++ >= 0x80; shift += 7) {
        if (at == end || shift == 7 * most)
            return none;
        value |= (uint64_t)(*at & 0x7f) << shift;
    }
    return (struct wire_number){at, value};
}
