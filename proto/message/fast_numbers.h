/*
 * Decodes single numbers for the fast decoder (fast_path.h). Only for its file.
 *
 * Each function writes the number to `place` and returns the position after it, or NULL if the
 * bytes end too early or are invalid; then the number at `place` is undefined.
 */
#ifndef SLUICE_PROTO_MESSAGE_FAST_NUMBERS_H
#define SLUICE_PROTO_MESSAGE_FAST_NUMBERS_H

#include <string.h>

#include "collector/base/wire.h"
#include "proto/message/fast_path.h"

static inline void put32(void *place, uint32_t value)
{
    memcpy(place, &value, sizeof value);
}

static inline void put64(void *place, uint64_t value)
{
    memcpy(place, &value, sizeof value);
}

static inline const uint8_t *parse_fixed64(const uint8_t *at, const uint8_t *end, void *place)
{
    uint64_t bits = 0;
    at = wire_read_fixed64(at, end, &bits);
    put64(place, bits);
    return at;
}

static inline const uint8_t *parse_varint32(const uint8_t *at, const uint8_t *end, void *place)
{
    uint64_t bits = 0;
    at = wire_read_varint(at, end, &bits);
    put32(place, (uint32_t)bits);
    return at;
}

static inline const uint8_t *parse_varint64(const uint8_t *at, const uint8_t *end, void *place)
{
    uint64_t bits = 0;
    at = wire_read_varint(at, end, &bits);
    put64(place, bits);
    return at;
}

static inline const uint8_t *parse_number(enum plain_act act, const uint8_t *at, const uint8_t *end,
                                          void *place)
{
    uint64_t bits = 0;
    switch (act) {
    case PLAIN_FIXED64:
        return parse_fixed64(at, end, place);
    case PLAIN_FIXED32:
        at = wire_read_fixed32(at, end, &bits);
        put32(place, (uint32_t)bits);
        return at;
    case PLAIN_VARINT64:
        return parse_varint64(at, end, place);
    case PLAIN_SINT64:
        at = wire_read_varint(at, end, &bits);
        put64(place, wire_unzigzag64(bits));
        return at;
    case PLAIN_VARINT32:
        return parse_varint32(at, end, place);
    case PLAIN_SINT32:
        at = wire_read_varint(at, end, &bits);
        put32(place, wire_unzigzag32((uint32_t)bits));
        return at;
    case PLAIN_BOOL:
        at = wire_read_varint(at, end, &bits);
        put32(place, bits != 0);
        return at;
    default:
        return NULL;
    }
}

#endif
