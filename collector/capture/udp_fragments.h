/*
 * Splits a UDP datagram into IP packets: one packet, or fragments if that packet is longer than the
 * MTU (RFC 791, section 3.2; RFC 8200, section 4.5).
 *
 * Iterates over the caller's bytes; one thread at a time.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_UDP_FRAGMENTS_H
#define SLUICE_COLLECTOR_CAPTURE_UDP_FRAGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "collector/capture/udp_packet.h"

/* The smallest MTU that IPv4 allows (RFC 791). */
#define UDP_FRAGMENTS_LEAST_MTU 68

struct udp_fragments {
    const uint8_t *payload;
    size_t size;     /* bytes of the payload */
    size_t mtu;      /* most bytes of a packet */
    size_t ip;       /* bytes of the IP header */
    uint32_t number; /* identification, the same in all fragments */
    size_t at;       /* bytes of the UDP header and payload that were written already */
    uint8_t headers[UDP_PACKET_HEADERS]; /* headers of the whole packet */
};

/*
 * Begins the iteration over the packets of a datagram, each of at most `mtu` (≥
 * UDP_FRAGMENTS_LEAST_MTU) bytes. The packet must be complete (`size` equals `length`), and
 * udp_packet_headers_size must not return 0 for it. `number` is the identification: it must differ
 * between datagrams of the same addresses while fragments of them may be in transit. Routers may
 * fragment IPv4 packets further. The payload must live until the iteration ends.
 */
void udp_fragments_begin(struct udp_fragments *fragments, const struct udp_packet *packet,
                         size_t mtu, uint32_t number);

/*
 * Writes the next packet to `to`, which has room for `mtu` bytes. Returns its size, or 0 at the
 * end.
 */
size_t udp_fragments_next(struct udp_fragments *fragments, uint8_t *to);

#endif
