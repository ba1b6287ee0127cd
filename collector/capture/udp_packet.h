/*
 * Writes the IP and UDP headers of a datagram whose payload was received from a socket. Headers and
 * payload together are an IP packet, which is a frame of a capture with LINKTYPE_RAW.
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

/* The most bytes of the headers (with IPv6), and of a whole packet (IPv6, not a jumbogram). */
#define UDP_PACKET_HEADERS 48
#define UDP_PACKET_MAX     ((size_t)40 + 65535)

struct udp_packet {
    const struct address *source;
    /* NULL if unknown. Its IP address is zeros if unknown, or of another family than `source`. */
    const struct address *destination;
    const uint8_t *payload;
    size_t size;   /* bytes of payload available */
    size_t length; /* bytes of payload in the datagram, at least `size` */
};

/* Returns the most bytes of payload that a packet from this source can have. */
size_t udp_packet_payload_most(const struct address *source);

/*
 * Returns the size of the packet's headers: 48 for an IPv6 source, otherwise 28. Returns 0 if the
 * payload is too long for a packet.
 */
size_t udp_packet_headers_size(const struct udp_packet *packet);

/*
 * Writes the headers (RFC 791, RFC 8200, RFC 768): udp_packet_headers_size bytes, which must not be
 * 0. The packet has no options, is not a fragment and has hop limit 64. Checksums are valid, except
 * that the UDP checksum is 0 (none) if the payload is incomplete.
 */
void udp_packet_write_headers(const struct udp_packet *packet, uint8_t *headers);

#endif
