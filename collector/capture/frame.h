/*
 * Finds the UDP datagram, or the fragment of one, in a frame.
 *
 * Pure functions. The UDP and IPv4 header checksums of frames are not verified: in a capture made
 * on the sending host, the network card has not filled them in yet. The UDP checksum of a
 * reassembled datagram is verified: a sender reuses an IPv4 identification after 65,536 datagrams,
 * so fragments of two datagrams may have been joined.
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
    FRAME_FRAGMENT, /* a fragment that may belong to such a datagram */
    FRAME_OTHER,    /* not UDP, not to the port, or invalid IP or UDP */
    FRAME_CUT,      /* may be a datagram to the port, but the capture lacks a part of it */
};

/* Source and destination addresses of a packet; an IPv4 address is in the first four bytes. */
struct frame_hosts {
    unsigned ip_version; /* IP version, 4 or 6 */
    uint8_t source[16];
    uint8_t destination[16];
};

/* A fragment of a datagram; the fragment ends within the largest size of a datagram. */
struct frame_fragment {
    struct frame_hosts hosts;
    uint32_t id; /* Identification: 16 bits in IPv4, 32 in IPv6 */
    /* The protocol of the datagram's first byte. For IPv6 valid only at offset 0. */
    uint8_t next_header;
    bool more;     /* further fragments follow this one */
    bool unwanted; /* at offset 0: the datagram is not UDP or not to the port */
    size_t offset; /* offset of the fragment's first byte in the datagram, a multiple of 8 */
    const uint8_t *data;
    size_t size; /* at least 1; a multiple of 8 if `more` */
};

/*
 * Parses a frame; `port` is the wanted UDP destination port; 0: all ports. Fills *datagram except
 * its time if it returns FRAME_DATAGRAM, and *fragment if it returns FRAME_FRAGMENT.
 */
enum frame_content frame_parse(const struct capture_frame *frame, uint16_t port,
                               struct capture_datagram *datagram, struct frame_fragment *fragment);

/*
 * Parses `size` reassembled bytes, which begin with the protocol `next_header`. Returns
 * FRAME_DATAGRAM or FRAME_OTHER, or FRAME_CUT if the UDP checksum is wrong, because fragments of
 * two datagrams were joined.
 */
enum frame_content frame_parse_reassembled(const struct frame_hosts *hosts, uint8_t next_header,
                                           const uint8_t *data, size_t size, uint16_t port,
                                           struct capture_datagram *datagram);

#endif
