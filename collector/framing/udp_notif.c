#include "collector/framing/udp_notif.h"

#include "collector/base/byte_order.h"

#define VERSION 1

/*
 * The first byte has, from its highest bit on: the version (3 bits), S (1 bit: the media type is of
 * the private space), and the media type (4 bits).
 */
#define PRIVATE_SPACE 0x10

enum option_type { OPTION_SEGMENT = 1 };
#define OPTION_LEAST 2 /* bytes of an option's type and length */
#define SEGMENT_SIZE 4
#define SEGMENT_LAST 1

static bool read_segment(const uint8_t *option, size_t size, struct udp_notif *notif)
{
    if (size != SEGMENT_SIZE || notif->is_segment)
        return false;
    unsigned value = network_u16(option + OPTION_LEAST);
    notif->is_segment = true;
    notif->number = (uint16_t)(value >> 1);
    notif->is_last = (value & SEGMENT_LAST) != 0;
    return true;
}

/* Skips unknown options. Returns false if an option is invalid or exceeds the header. */
static bool read_notif_options(const uint8_t *data, size_t end, struct udp_notif *notif)
{
    for (size_t at = UDP_NOTIF_HEADER_SIZE; at != end; at += data[at + 1]) {
        if (end - at < OPTION_LEAST || data[at + 1] < OPTION_LEAST || data[at + 1] > end - at)
            return false;
        if (data[at] == OPTION_SEGMENT && !read_segment(data + at, data[at + 1], notif))
            return false;
    }
    return true;
}

enum decode_cause udp_notif_read(const uint8_t *data, size_t given, size_t size,
                                 struct udp_notif *notif)
{
    if (given < UDP_NOTIF_HEADER_SIZE)
        return CAUSE_SHORT_HEADER;
    size_t end = data[1];
    if (data[0] >> 5 != VERSION || end < UDP_NOTIF_HEADER_SIZE)
        return CAUSE_FOREIGN_HEADER;
    if (network_u16(data + 2) != size)
        return CAUSE_MESSAGE_LENGTH;
    if (end > given)
        return CAUSE_SHORT_HEADER;
    *notif = (struct udp_notif){
        .publisher = network_u32(data + 4), .message = network_u32(data + 8), .body = end};
    if (!read_notif_options(data, end, notif))
        return CAUSE_OPTION;
    if ((data[0] & PRIVATE_SPACE) == 0)
        return CAUSE_NOT_PROTOBUF;
    if (notif->number == 0 && notif->is_last)
        notif->is_segment = false;
    return CAUSE_UNKNOWN;
}
