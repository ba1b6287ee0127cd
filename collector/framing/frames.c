#include "collector/framing/frames.h"

#include <stdbool.h>

#include "collector/base/byte_order.h"
#include "collector/base/wire.h"
#include "collector/framing/cisco_mdt.h"
#include "collector/framing/otlp_udp.h"
#include "collector/framing/udp_notif.h"

void frames_begin(struct frames *frames, enum framing framing, size_t header, const uint8_t *data,
                  size_t size)
{
    *frames = (struct frames){.framing = framing, .data = data, .size = size, .at = header};
}

static enum frame_result found(struct frames *frames, size_t size, struct frame *next)
{
    *next = (struct frame){.data = frames->data + frames->at, .size = size};
    frames->at += size;
    frames->found++;
    return FRAME_MESSAGE;
}

static enum frame_result frames_refuse(struct frames *frames, size_t at, enum decode_cause cause)
{
    frames->at = at;
    frames->cause = cause;
    return FRAME_MALFORMED;
}

static enum frame_result take_rest(struct frames *frames, struct frame *next)
{
    if (frames->found != 0)
        return FRAME_END;
    return found(frames, frames->size - frames->at, next);
}

/* --- length prefixes -------------------------------------------------------------------------- */

/* Returns false if the varint does not end within the payload or exceeds 64 bits. */
static bool read_varint(struct frames *frames, uint64_t *length)
{
    const uint8_t *begin = frames->data + frames->at;
    const uint8_t *next = wire_read_varint(begin, frames->data + frames->size, length);
    if (next == NULL)
        return false;
    frames->at += (size_t)(next - begin);
    return next - begin < WIRE_VARINT_MAX || next[-1] <= 1;
}

static bool read_fixed(struct frames *frames, size_t bytes, enum byte_order order, uint64_t *length)
{
    const uint8_t *begin = frames->data + frames->at;
    if (frames->size - frames->at < bytes)
        return false;
    *length = bytes == 2 ? ordered_u16(order, begin) : ordered_u32(order, begin);
    frames->at += bytes;
    return true;
}

static bool frames_read_length(struct frames *frames, uint64_t *length)
{
    switch (frames->framing) {
    case FRAMING_LENGTH16:
        return read_fixed(frames, 2, BYTE_ORDER_BIG_ENDIAN, length);
    case FRAMING_LENGTH16_LE:
        return read_fixed(frames, 2, BYTE_ORDER_LITTLE_ENDIAN, length);
    case FRAMING_LENGTH32_LE:
        return read_fixed(frames, 4, BYTE_ORDER_LITTLE_ENDIAN, length);
    case FRAMING_LENGTH32:
    case FRAMING_FRAME_STREAMS:
        return read_fixed(frames, 4, BYTE_ORDER_BIG_ENDIAN, length);
    default:
        return read_varint(frames, length);
    }
}

static enum frame_result next_after_length(struct frames *frames, struct frame *next)
{
    size_t start = frames->at;
    if (start == frames->size && frames->found != 0)
        return FRAME_END;
    if (start == frames->size) {
        frames->cause = CAUSE_NO_MESSAGE;
        return FRAME_NONE;
    }
    uint64_t size;
    if (!frames_read_length(frames, &size) || size > frames->size - frames->at)
        return frames_refuse(frames, start, CAUSE_MESSAGE_LENGTH);
    return found(frames, (size_t)size, next);
}

/* --- Cisco MDT -------------------------------------------------------------------------------- */

/* Reads a message of Cisco MDT. Of a heartbeat it checks only the type. */
static enum frame_result next_cisco_mdt(struct frames *frames, struct frame *next)
{
    if (frames->found != 0)
        return FRAME_END;
    size_t start = frames->at;
    if (frames->size - start < CISCO_MDT_HEADER)
        return frames_refuse(frames, start, CAUSE_SHORT_HEADER);
    const struct cisco_mdt header = cisco_mdt_read(frames->data + start);
    if (header.type == CISCO_MDT_HEARTBEAT)
        return FRAME_CONTROL;
    frames->at += CISCO_MDT_HEADER;
    if (header.type == CISCO_MDT_DATA && header.encapsulation == CISCO_MDT_JSON)
        return frames_refuse(frames, start, CAUSE_JSON);
    if (header.type != CISCO_MDT_DATA || header.encapsulation != CISCO_MDT_GPB)
        return frames_refuse(frames, start, CAUSE_FOREIGN_HEADER);
    if (header.size != frames->size - frames->at)
        return frames_refuse(frames, start, CAUSE_MESSAGE_LENGTH);
    return take_rest(frames, next);
}

/* --- UDP-Notif -------------------------------------------------------------------------------- */

static enum frame_result next_udp_notif(struct frames *frames, struct frame *next)
{
    struct udp_notif header;
    size_t start = frames->at;
    size_t size = frames->size - start;
    if (frames->found != 0)
        return FRAME_END;
    enum decode_cause cause = udp_notif_read(frames->data + start, size, size, &header);
    if (cause != CAUSE_UNKNOWN)
        return frames_refuse(frames, start, cause);
    frames->at += header.body;
    enum frame_result result = take_rest(frames, next);
    next->is_numbered = true;
    next->number = (struct frame_number){header.publisher, header.message};
    return result;
}

/* --- OTLP over UDP ---------------------------------------------------------------------------- */

/*
 * Reads a message of OTLP over UDP. OTLP_UDP_NONE does not normally occur here, because no schema
 * matches such a datagram.
 */
static enum frame_result next_otlp_udp(struct frames *frames, struct frame *next)
{
    struct otlp_udp_head head;
    size_t start = frames->at;
    if (frames->found != 0)
        return FRAME_END;
    switch (otlp_udp_read(frames->data + start, frames->size - start, &head)) {
    case OTLP_UDP_SHORT:
        return frames_refuse(frames, start, CAUSE_SHORT_HEADER);
    case OTLP_UDP_FOREIGN:
        return frames_refuse(frames, start, CAUSE_FOREIGN_HEADER);
    case OTLP_UDP_OK:
        break;
    }
    if (head.signal == OTLP_UDP_NONE)
        return frames_refuse(frames, start + head.body, CAUSE_FOREIGN_HEADER);
    frames->at += head.body;
    enum frame_result result = take_rest(frames, next);
    next->is_base64 = true;
    next->sampling = head.sampling;
    return result;
}

/* --- frames of any framing -------------------------------------------------------------------- */

enum frame_result frames_next(struct frames *frames, struct frame *next)
{
    if (frames->at > frames->size)
        return frames_refuse(frames, frames->size, CAUSE_SHORT_HEADER);
    switch (frames->framing) {
    case FRAMING_DELIMITED:
    case FRAMING_LENGTH16:
    case FRAMING_LENGTH32:
    case FRAMING_LENGTH16_LE:
    case FRAMING_LENGTH32_LE:
    case FRAMING_FRAME_STREAMS:
        return next_after_length(frames, next);
    case FRAMING_CISCO_MDT:
        return next_cisco_mdt(frames, next);
    case FRAMING_UDP_NOTIF:
        return next_udp_notif(frames, next);
    case FRAMING_OTLP_UDP:
        return next_otlp_udp(frames, next);
    case FRAMING_DATAGRAM:
    case FRAMING_SEALED:
        break;
    }
    return take_rest(frames, next);
}
