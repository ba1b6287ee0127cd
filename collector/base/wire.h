/*
 * Reads and writes protobuf's wire format, one piece at a time.
 *
 * Accepts the same as Google's own parser (protobuf.dev, "Encoding"; the parser's behaviour for
 * cases that the page does not describe): a tag and a length have at most 5 bytes and a varint at
 * most 10, and bits past the 32nd of a tag or the 64th of a varint are dropped. Each reader returns
 * the position after the piece, or NULL if the bytes end too early or are invalid. Pure functions.
 */
#ifndef SLUICE_COLLECTOR_BASE_WIRE_H
#define SLUICE_COLLECTOR_BASE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/byte_order.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_LENGTH = 2,
    WIRE_GROUP_START = 3,
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5,
};

/*
 * A message set consists of items. Each is a group with field number 1 that contains the number of
 * an extension (field 2, a varint of 32 bits) and its message (field 3).
 */
enum wire_item {
    WIRE_ITEM = 1,
    WIRE_ITEM_ID = 2,
    WIRE_ITEM_MESSAGE = 3,
};

/* Makes a tag from a constant field number. */
#define WIRE_TAG(number, wire_type) ((uint32_t)(number) << 3 | (uint32_t)(wire_type))

#define WIRE_VARINT_MAX 10 /* in bytes */
#define WIRE_TAG_MAX    5
#define WIRE_SIZE_MAX   5

/*
 * Reads a number of at most `most` bytes. The functions below read numbers of one byte, the usual
 * case, themselves, and call this function for longer ones.
 */
struct wire_number {
    const uint8_t *next; /* the position after the number, or NULL */
    uint64_t value;
};
struct wire_number wire_read_long(const uint8_t *at, const uint8_t *end, unsigned most);

static inline const uint8_t *wire_read_varint(const uint8_t *at, const uint8_t *end,
                                              uint64_t *value)
{
    if (at != end && *at < 0x80) {
        *value = *at;
        return at + 1;
    }
    struct wire_number number = wire_read_long(at, end, WIRE_VARINT_MAX);
    *value = number.value;
    return number.next;
}

static inline const uint8_t *wire_read_tag(const uint8_t *at, const uint8_t *end, uint32_t *tag)
{
    if (at != end && *at < 0x80) {
        *tag = *at;
        return at + 1;
    }
    struct wire_number number = wire_read_long(at, end, WIRE_TAG_MAX);
    *tag = (uint32_t)number.value;
    return number.next;
}

/* Reads the length of a field. The field's bytes need not all be there. */
static inline const uint8_t *wire_read_size(const uint8_t *at, const uint8_t *end, uint64_t *size)
{
    if (at != end && *at < 0x80) {
        *size = *at;
        return at + 1;
    }
    struct wire_number number = wire_read_long(at, end, WIRE_SIZE_MAX);
    *size = number.value;
    return number.next;
}

/* Reads the length of a field. Fails unless all of the field's bytes are there. */
static inline const uint8_t *wire_read_length(const uint8_t *at, const uint8_t *end, size_t *length)
{
    uint64_t value;
    at = wire_read_size(at, end, &value);
    *length = (size_t)value;
    return at != NULL && value <= (uint64_t)(end - at) ? at : NULL;
}

static inline const uint8_t *wire_read_fixed32(const uint8_t *at, const uint8_t *end,
                                               uint64_t *value)
{
    if (end - at < 4)
        return NULL;
    *value = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
    return at + 4;
}

static inline const uint8_t *wire_read_fixed64(const uint8_t *at, const uint8_t *end,
                                               uint64_t *value)
{
    if (end - at < 8)
        return NULL;
    *value = little_u64(at);
    return at + 8;
}

/* Returns the end of a value, or NULL for a group and for an incomplete or invalid value. */
const uint8_t *wire_skip(const uint8_t *at, const uint8_t *end, uint32_t wire_type);

/* Convert between signed numbers and the values of sint32 and sint64 ("ZigZag"). */
static inline uint32_t wire_unzigzag32(uint32_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

static inline uint64_t wire_unzigzag64(uint64_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

static inline uint32_t wire_zigzag32(int32_t value)
{
    return ((uint32_t)value << 1) ^ (value < 0 ? UINT32_MAX : 0);
}

static inline uint64_t wire_zigzag64(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

#endif
