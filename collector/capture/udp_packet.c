#include "collector/capture/udp_packet.h"

#include <stdbool.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"
#include "collector/capture/internet_checksum.h"

#define IPV4_SIZE     20
#define IPV6_SIZE     40
#define UDP_SIZE      8
#define LONGEST       65535 /* the largest 16-bit length */
#define PROTOCOL_UDP  17
#define HOPS          64
#define DONT_FRAGMENT 0x4000 /* with this flag the identification may be 0 (RFC 6864) */

/* --- checksum --------------------------------------------------------------------------------- */

/* Covers the addresses (as the pseudo header), the UDP header and the payload. */
static uint16_t udp_checksum(const struct udp_packet *packet, const uint8_t *addresses,
                             size_t addresses_size, const uint8_t *udp)
{
    uint64_t sum =
        internet_checksum_add(PROTOCOL_UDP + UDP_SIZE + packet->size, addresses, addresses_size);
    sum = internet_checksum_add(sum, udp, UDP_SIZE);
    uint16_t checksum =
        internet_checksum_fold(internet_checksum_add(sum, packet->payload, packet->size));
    return checksum == 0 ? 0xffff : checksum; /* 0 would mean no checksum */
}

/* --- headers ---------------------------------------------------------------------------------- */

static size_t ip_size(const struct address *source)
{
    return source->family == ADDRESS_IPV6 ? IPV6_SIZE : IPV4_SIZE;
}

size_t udp_packet_payload_most(const struct address *source)
{
    /* IPv4's length field includes the IP header, IPv6's does not. */
    return LONGEST - UDP_SIZE - (ip_size(source) == IPV4_SIZE ? IPV4_SIZE : 0);
}

size_t udp_packet_headers_size(const struct udp_packet *packet)
{
    bool fits = packet->length <= udp_packet_payload_most(packet->source);
    return fits ? ip_size(packet->source) + UDP_SIZE : 0;
}

/* Returns true if the address is known and has a port. That of a local process has none. */
static bool has_port(const struct address *address)
{
    return address != NULL && address->family != ADDRESS_LOCAL;
}

static void put_addresses(const struct udp_packet *packet, uint8_t *to, size_t each)
{
    static const uint8_t unknown[16];
    const struct address *destination = packet->destination;
    bool known = destination != NULL && destination->family == packet->source->family;
    memcpy(to, has_port(packet->source) ? packet->source->bytes : unknown, each);
    memcpy(to + each, known ? destination->bytes : unknown, each);
}

static void put_ipv4(const struct udp_packet *packet, uint8_t *to)
{
    memset(to, 0, IPV4_SIZE);
    to[0] = 0x45; /* version 4, header of five words */
    put_network_u16(to + 2, (unsigned)(IPV4_SIZE + UDP_SIZE + packet->length));
    put_network_u16(to + 6, DONT_FRAGMENT);
    to[8] = HOPS;
    to[9] = PROTOCOL_UDP;
    put_addresses(packet, to + 12, 4);
    put_network_u16(to + 10, internet_checksum_fold(internet_checksum_add(0, to, IPV4_SIZE)));
}

static void put_ipv6(const struct udp_packet *packet, uint8_t *to)
{
    memset(to, 0, IPV6_SIZE);
    to[0] = 0x60;
    put_network_u16(to + 4, (unsigned)(UDP_SIZE + packet->length));
    to[6] = PROTOCOL_UDP;
    to[7] = HOPS;
    put_addresses(packet, to + 8, 16);
}

void udp_packet_write_headers(const struct udp_packet *packet, uint8_t *headers)
{
    size_t ip = ip_size(packet->source);
    size_t addresses = ip == IPV4_SIZE ? 12 : 8;
    uint8_t *udp = headers + ip;
    RULE(packet->size <= packet->length && udp_packet_headers_size(packet) != 0,
         "headers are written for a datagram that fits a packet");
    if (ip == IPV4_SIZE)
        put_ipv4(packet, headers);
    else
        put_ipv6(packet, headers);
    put_network_u16(udp, has_port(packet->source) ? packet->source->port : 0);
    put_network_u16(udp + 2, has_port(packet->destination) ? packet->destination->port : 0);
    put_network_u16(udp + 4, (unsigned)(UDP_SIZE + packet->length));
    put_network_u16(udp + 6, 0);
    if (packet->size == packet->length)
        put_network_u16(udp + 6, udp_checksum(packet, headers + addresses, ip - addresses, udp));
}
