/*
 * From a frame to the UDP datagram that it carries, or to the fragment of one.
 *
 * Pure functions of the bytes given. UDP and IPv4 header checksums are not verified: in a capture
 * made on the sending machine they are what the network card has yet to fill in.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_FRAME_H
#define SLUICE_COLLECTOR_CAPTURE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/capture/capture.h"
#include "collector/capture/capture_file.h"

enum frame_content {
    FRAME_DATAGRAM, /* a whole datagram to the port */
    FRAME_FRAGMENT, /* a fragment that may be of one */
    FRAME_OTHER,    /* not UDP, not to the port, or no valid IP or UDP */
    FRAME_CUT,      /* not known to be other, but the capture lacks part of it */
};

/* Where a packet goes from and to, as IP writes it: an IPv4 address fills the first four bytes. */
struct frame_hosts {
    unsigned ip_version; /* 4 or 6 */
    uint8_t source[16];
    uint8_t destination[16];
};

/* A fragment that ends within the largest datagram. */
struct frame_fragment {
    struct frame_hosts hosts;
    uint32_t id;         /* Identification: 16 bits in IPv4, 32 in IPv6 */
    uint8_t next_header; /* what the reassembled bytes begin with; in IPv6 only true at offset 0 */
    bool more;           /* further fragments follow this one */
    bool unwanted;       /* shows (at offset 0) that the datagram is not UDP or not to the port */
    size_t offset;       /* of its first byte in the datagram, a multiple of 8 */
    const uint8_t *data;
    size_t size; /* at least 1; a multiple of 8 if `more` */
};

/*
 * Parses a frame; `port` is the UDP destination port wanted, or 0 for all. Fills *datagram, but for
 * its time, where it is FRAME_DATAGRAM, and *fragment where it is FRAME_FRAGMENT.
 */
enum frame_content frame_parse(const struct capture_frame *frame, uint16_t port,
                               struct capture_datagram *datagram, struct frame_fragment *fragment);

/*
 * Parses the `size` bytes that reassembly gave, which begin with what `next_header` says. Returns
 * FRAME_DATAGRAM or FRAME_OTHER.
 */
enum frame_content frame_parse_reassembled(const struct frame_hosts *hosts, uint8_t next_header,
                                           const uint8_t *data, size_t size, uint16_t port,
                                           struct capture_datagram *datagram);

#endif
