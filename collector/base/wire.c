#include "collector/base/wire.h"

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

const uint8_t *wire_skip(const uint8_t *at, const uint8_t *end, uint32_t wire_type)
{
    uint64_t number;
    size_t length;
    switch (wire_type) {
    case WIRE_VARINT:
        return wire_read_varint(at, end, &number);
    case WIRE_FIXED64:
        return wire_read_fixed64(at, end, &number);
    case WIRE_FIXED32:
        return wire_read_fixed32(at, end, &number);
    case WIRE_LENGTH:
        at = wire_read_length(at, end, &length);
        return at == NULL ? NULL : at + length;
    default:
        return NULL;
    }
}
