#include "collector/capture/udp_fragments.h"

#include <stdbool.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"
#include "collector/capture/internet_checksum.h"

#define IPV4_SIZE       20
#define UDP_SIZE        8
#define FRAGMENT_SIZE   8
#define FRAGMENT_HEADER 44
#define PROTOCOL_UDP    17
#define MORE_IPV4       0x2000
#define MORE_IPV6       1

void udp_fragments_begin(struct udp_fragments *fragments, const struct udp_packet *packet,
                         size_t mtu, uint32_t number)
{
    RULE(packet->size == packet->length && udp_packet_headers_size(packet) != 0,
         "only a complete datagram that fits a packet is fragmented");
    *fragments = (struct udp_fragments){
        .payload = packet->payload,
        .size = packet->size,
        .mtu = mtu,
        .ip = udp_packet_headers_size(packet) - UDP_SIZE,
        .number = number,
    };
    udp_packet_write_headers(packet, fragments->headers);
}

static void copy_part(const struct udp_fragments *fragments, uint8_t *to, size_t size)
{
    size_t at = fragments->at;
    size_t of_header = at < UDP_SIZE ? UDP_SIZE - at : 0;
    if (of_header > size)
        of_header = size;
    memcpy(to, fragments->headers + fragments->ip + at, of_header);
    if (size != of_header)
        memcpy(to + of_header, fragments->payload + at + of_header - UDP_SIZE, size - of_header);
}

static size_t put_ipv4(const struct udp_fragments *fragments, uint8_t *to, size_t part, bool more)
{
    put_network_u16(to + 2, (unsigned)(IPV4_SIZE + part));
    put_network_u16(to + 4, fragments->number & 0xffff);
    put_network_u16(to + 6, (unsigned)(fragments->at / 8) | (more ? MORE_IPV4 : 0u));
    put_network_u16(to + 10, 0);
    put_network_u16(to + 10, internet_checksum_fold(internet_checksum_add(0, to, IPV4_SIZE)));
    return IPV4_SIZE;
}

static size_t put_ipv6(const struct udp_fragments *fragments, uint8_t *to, size_t part, bool more)
{
    uint8_t *fragment = to + fragments->ip;
    if (fragments->at == 0 && !more)
        return fragments->ip; /* one whole packet */
    put_network_u16(to + 4, (unsigned)(FRAGMENT_SIZE + part));
    to[6] = FRAGMENT_HEADER;
    fragment[0] = PROTOCOL_UDP;
    fragment[1] = 0;
    put_network_u16(fragment + 2, (unsigned)fragments->at | (more ? MORE_IPV6 : 0u));
    put_network_u32(fragment + 4, fragments->number);
    return fragments->ip + FRAGMENT_SIZE;
}

/* Every fragment except the last one has a multiple of 8 bytes after its headers. */
size_t udp_fragments_next(struct udp_fragments *fragments, uint8_t *to)
{
    bool ipv4 = fragments->ip == IPV4_SIZE;
    RULE(fragments->at <= UDP_SIZE + fragments->size, "fragments end with their datagram");
    size_t left = UDP_SIZE + fragments->size - fragments->at;
    bool more = fragments->at != 0 || fragments->ip + left > fragments->mtu;
    size_t headers = fragments->ip + (more && !ipv4 ? FRAGMENT_SIZE : 0);
    size_t part = left;
    if (left == 0)
        return 0;
    if (headers + left > fragments->mtu)
        part = (fragments->mtu - headers) / 8 * 8;
    more = part < left;
    memcpy(to, fragments->headers, fragments->ip);
    headers = ipv4 ? put_ipv4(fragments, to, part, more) : put_ipv6(fragments, to, part, more);
    copy_part(fragments, to + headers, part);
    fragments->at += part;
    return headers + part;
}
