#include "collector/framing/stream_frame.h"

#include "collector/base/byte_order.h"
#include "collector/base/wire.h"
#include "collector/framing/cisco_mdt.h"
#include "collector/framing/frame_streams.h"

bool stream_frame_can(enum framing framing)
{
    switch (framing) {
    case FRAMING_DELIMITED:
    case FRAMING_LENGTH16:
    case FRAMING_LENGTH32:
    case FRAMING_LENGTH16_LE:
    case FRAMING_LENGTH32_LE:
    case FRAMING_FRAME_STREAMS:
    case FRAMING_CISCO_MDT:
        return true;
    case FRAMING_DATAGRAM:
    case FRAMING_UDP_NOTIF:
    case FRAMING_OTLP_UDP:
    case FRAMING_SEALED:
        break;
    }
    return false;
}

static enum stream_frame_result check_frame_length(uint64_t length, size_t header, uint64_t most,
                                                   size_t *whole)
{
    if (length > most)
        return STREAM_FRAME_TOO_LARGE;
    *whole = header + (size_t)length;
    return STREAM_FRAME_KNOWN;
}

/* Reads a length as a varint. A varint of more than 64 bits is malformed. */
static enum stream_frame_result look_varint(const uint8_t *data, size_t size, uint64_t most,
                                            size_t *whole)
{
    uint64_t length;
    const uint8_t *next = wire_read_varint(data, data + size, &length);
    if (next == NULL)
        return size < WIRE_VARINT_MAX ? STREAM_FRAME_MORE : STREAM_FRAME_MALFORMED;
    if (next - data == WIRE_VARINT_MAX && next[-1] > 1)
        return STREAM_FRAME_MALFORMED;
    return check_frame_length(length, (size_t)(next - data), most, whole);
}

bool stream_frame_is_control(enum framing framing, const uint8_t *data)
{
    return framing == FRAMING_FRAME_STREAMS && network_u32(data) == 0;
}

static enum stream_frame_result look_control(const uint8_t *data, size_t size, size_t *whole)
{
    if (size < FRAME_STREAMS_ESCAPE)
        return STREAM_FRAME_MORE;
    uint32_t length = network_u32(data + 4);
    if (length < 4 || length > FRAME_STREAMS_CONTROL_MOST)
        return STREAM_FRAME_MALFORMED;
    *whole = FRAME_STREAMS_ESCAPE + length;
    return STREAM_FRAME_KNOWN;
}

/*
 * Reads a header of Cisco MDT. A header of an unknown type is malformed, because its length cannot
 * be trusted.
 */
static enum stream_frame_result look_cisco_mdt(const uint8_t *data, size_t size, uint64_t most,
                                               size_t *whole)
{
    if (size < CISCO_MDT_HEADER)
        return STREAM_FRAME_MORE;
    const struct cisco_mdt header = cisco_mdt_read(data);
    if (header.type != CISCO_MDT_DATA && header.type != CISCO_MDT_HEARTBEAT)
        return STREAM_FRAME_MALFORMED;
    return check_frame_length(header.size, CISCO_MDT_HEADER, most, whole);
}

static enum stream_frame_result look_fixed(enum framing framing, const uint8_t *data, size_t size,
                                           uint64_t most, size_t *whole)
{
    bool is_short = framing == FRAMING_LENGTH16 || framing == FRAMING_LENGTH16_LE;
    bool is_little = framing == FRAMING_LENGTH16_LE || framing == FRAMING_LENGTH32_LE;
    enum byte_order order = is_little ? BYTE_ORDER_LITTLE_ENDIAN : BYTE_ORDER_BIG_ENDIAN;
    size_t header = is_short ? 2 : 4;
    if (size < header)
        return STREAM_FRAME_MORE;
    if (stream_frame_is_control(framing, data))
        return look_control(data, size, whole);
    return check_frame_length(is_short ? ordered_u16(order, data) : ordered_u32(order, data),
                              header, most, whole);
}

enum stream_frame_result stream_frame_look(enum framing framing, const uint8_t *data, size_t size,
                                           uint64_t most, size_t *whole)
{
    if (framing == FRAMING_DELIMITED)
        return size == 0 ? STREAM_FRAME_MORE : look_varint(data, size, most, whole);
    if (framing == FRAMING_CISCO_MDT)
        return look_cisco_mdt(data, size, most, whole);
    return look_fixed(framing, data, size, most, whole);
}
