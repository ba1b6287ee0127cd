/*
 * The encoder `pcap` writes the received datagrams, each as a packet with its addresses and its
 * arrival in nanoseconds (draft-ietf-opsawg-pcap; link type RAW, least significant byte first). The
 * first record of a datagram writes it; other records of the datagram have no output. A packet
 * counts as a line.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/capture/udp_packet.h"
#include "sinks/encoders/encoders.h"

#define MAGIC_NANOSECONDS 0xa1b23c4du
#define HEAD_SIZE         24
#define SNAPSHOT_LENGTH   262144u /* tcpdump's value: longer than any packet */
#define PACKET_HEAD       16
#define SECOND            INT64_C(1000000000)

static void make_head(uint8_t head[HEAD_SIZE])
{
    put_little_u32(head, MAGIC_NANOSECONDS);
    put_little_u16(head + 4, 2); /* version 2.4 */
    put_little_u16(head + 6, 4);
    put_little_u32(head + 8, 0); /* the two reserved fields */
    put_little_u32(head + 12, 0);
    put_little_u32(head + 16, SNAPSHOT_LENGTH);
    put_little_u32(head + 20, LINKTYPE_RAW);
}

static void pcap_begin(struct encoder *encoder, struct output *out)
{
    (void)encoder;
    uint8_t head[HEAD_SIZE];
    make_head(head);
    output_bytes(out, head, sizeof head);
}

/*
 * Writes a time. The format can represent the years 1970 to 2106; an earlier or later time becomes
 * the first or last of these times.
 */
static void put_time(uint8_t *to, int64_t time_ns)
{
    const int64_t last = (int64_t)UINT32_MAX * SECOND + SECOND - 1;
    int64_t held = time_ns < 0 ? 0 : time_ns > last ? last : time_ns;
    put_little_u32(to, (uint32_t)(held / SECOND));
    put_little_u32(to + 4, (uint32_t)(held % SECOND));
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    if (record->packet == NULL)
        return (struct encoded){0};
    struct udp_packet packet = {
        .source = &record->source,
        .destination = &record->packet->destination,
        .payload = record->packet->data,
        .size = record->packet->size,
        .length = record->packet->size,
    };
    size_t headers = udp_packet_headers_size(&packet);
    if (headers == 0) { /* reassembled from fragments, and longer than any IP packet */
        out->overflow = true;
        return (struct encoded){0};
    }
    uint8_t *to = (void *)output_reserve(out, PACKET_HEAD + headers);
    if (to != NULL) {
        put_time(to, record->received_ns);
        put_little_u32(to + 8, (uint32_t)(headers + packet.size));
        put_little_u32(to + 12, (uint32_t)(headers + packet.size));
        udp_packet_write_headers(&packet, to + PACKET_HEAD);
    }
    output_bytes(out, packet.payload, packet.size);
    return (struct encoded){.lines = 1};
}

/* --- finding the end of the last complete packet ---------------------------------------------- */

static bool is_packet_head(const uint8_t *head)
{
    uint32_t captured = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 8);
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 4) < SECOND &&
           captured == ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 12) &&
           captured <= UDP_PACKET_MAX;
}

static bool is_head(const uint8_t *bytes, size_t size)
{
    uint8_t head[HEAD_SIZE];
    make_head(head);
    return memcmp(bytes, head, size < HEAD_SIZE ? size : HEAD_SIZE) == 0;
}

static size_t whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    size_t at = at_start ? HEAD_SIZE : 0;
    *foreign = at_start && !is_head(bytes, size);
    if (*foreign || size < at)
        return 0;
    while (size - at >= PACKET_HEAD) {
        if (!is_packet_head(bytes + at)) {
            *foreign = true;
            break;
        }
        size_t packet = PACKET_HEAD + ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes + at + 8);
        if (packet > size - at)
            break;
        at += packet;
    }
    return at;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoder *create(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &encoder_pcap;
    return encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops encoder_pcap = {
    .name = "pcap",
    .needs_packets = true,
    .binary = true,
    .create = create,
    .destroy = destroy,
    .begin = pcap_begin,
    .encode = encode,
    .whole = whole,
};
