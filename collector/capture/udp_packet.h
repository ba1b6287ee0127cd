/*
 * A UDP datagram as a packet: the IP and UDP headers that the network put before its payload, and
 * that the socket took off again. What a capture of link type LINKTYPE_RAW holds.
 *
 * Pure functions over the caller's bytes; any thread.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_UDP_PACKET_H
#define SLUICE_COLLECTOR_CAPTURE_UDP_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

/* Frames that begin with an IPv4 or IPv6 header (draft-ietf-opsawg-pcaplinktype). */
#define LINKTYPE_RAW 101

/* Bytes of the headers at most (IPv6), and of a packet with its payload (IPv6, not a jumbogram). */
#define UDP_PACKET_HEADERS 48
#define UDP_PACKET_MAX     ((size_t)40 + 65535)

struct udp_packet {
    const struct address *source;
    const struct address *destination; /* of another family, or NULL: written as all zeros */
    const uint8_t *payload;
    size_t size;   /* bytes of payload that there are */
    size_t length; /* bytes that were sent, never less than `size` */
};

/*
 * Bytes that the packet's headers take: 28 where its source is an IPv4 address, else 48; 0 where so
 * long a payload has no such packet.
 */
size_t udp_packet_headers_size(const struct udp_packet *packet);

/*
 * Writes the headers (RFC 791, RFC 8200, RFC 768), as many bytes as udp_packet_headers_size says,
 * which must not be 0: no options, not a fragment, 64 hops to live. Checksums are right; of a
 * payload that is not whole there is none (the field is 0).
 */
void udp_packet_write_headers(const struct udp_packet *packet, uint8_t *headers);

#endif
