/*
 * Writes the IP and UDP headers that the socket removed from a UDP datagram. Headers and payload
 * together are an IP packet, which is a frame of a capture with LINKTYPE_RAW.
 *
 * Pure functions; the caller owns the bytes. Any thread.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_UDP_PACKET_H
#define SLUICE_COLLECTOR_CAPTURE_UDP_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

/*
 * The link type of frames that begin with an IPv4 or IPv6 header (draft-ietf-opsawg-pcaplinktype).
 */
#define LINKTYPE_RAW 101

/* Most bytes of the headers (with IPv6), and of a whole packet (IPv6, not a jumbogram). */
#define UDP_PACKET_HEADERS 48
#define UDP_PACKET_MAX     ((size_t)40 + 65535)

struct udp_packet {
    const struct address *source;
    /* Written as zeros if NULL or of another family than the source. */
    const struct address *destination;
    const uint8_t *payload;
    size_t size;   /* bytes of payload available */
    size_t length; /* bytes of payload in the datagram, at least `size` */
};

/* Returns the most bytes of payload of a packet from this source. */
size_t udp_packet_payload_most(const struct address *source);

/*
 * Returns the size of the packet's headers: 28 for an IPv4 source, otherwise 48. Returns 0 if the
 * payload is too long for a packet.
 */
size_t udp_packet_headers_size(const struct udp_packet *packet);

/*
 * Writes the headers (RFC 791, RFC 8200, RFC 768): udp_packet_headers_size bytes, which must not be
 * 0. The packet has no options, is not a fragment and has hop limit 64. Checksums are valid; but if
 * the payload is incomplete, the UDP checksum is 0, which means none.
 */
void udp_packet_write_headers(const struct udp_packet *packet, uint8_t *headers);

#endif
