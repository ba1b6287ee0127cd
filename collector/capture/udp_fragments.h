/*
 * A UDP datagram as the packets that carry it to the next link: one, or fragments of it where that
 * is too long for the link (RFC 791, section 3.2; RFC 8200, section 4.5).
 *
 * A walk over the caller's bytes; one thread at a time.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_UDP_FRAGMENTS_H
#define SLUICE_COLLECTOR_CAPTURE_UDP_FRAGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/capture/udp_packet.h"

/* The least that a link takes (RFC 791: 68; a fragment of IPv6 needs a little more). */
#define UDP_FRAGMENTS_LEAST_MTU 68

struct udp_fragments {
    const uint8_t *payload;
    size_t size;                         /* bytes of it */
    size_t mtu;                          /* bytes that a packet may have */
    size_t ip;                           /* bytes of the IP header */
    uint32_t number;                     /* the same in all fragments */
    size_t at;                           /* of the UDP header and the payload, what is done */
    uint8_t headers[UDP_PACKET_HEADERS]; /* of the whole packet */
};

/*
 * Begins the walk over the packets of a whole datagram (`size` is `length`; it fits a packet, see
 * udp_packet_headers_size), none longer than `mtu` (≥ UDP_FRAGMENTS_LEAST_MTU) bytes. `number` is
 * another one for each datagram of the same addresses, as long as parts of it may be under way. A
 * router may cut what is sent over IPv4 further. The payload must stand as long as the walk.
 */
void udp_fragments_begin(struct udp_fragments *fragments, const struct udp_packet *packet,
                         size_t mtu, uint32_t number);

/* Writes the next packet to `to`, which has room for `mtu` bytes; returns its size, 0: none. */
size_t udp_fragments_next(struct udp_fragments *fragments, uint8_t *to);

#endif
