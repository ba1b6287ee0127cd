/*
 * The header of a UDP-Notif message (draft-ietf-netconf-udp-notif-22, sections 3.2 and 4): 12 bytes
 * and options, big-endian.
 *
 * Protobuf is not among its registered encodings: it is sent in the private space, which the S flag
 * chooses. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H
#define SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/decode_failure.h"

#define UDP_NOTIF_HEADER_SIZE 12

/* One more than the highest number that a segment can have. */
#define UDP_NOTIF_SEGMENTS 32768

struct udp_notif {
    uint32_t publisher; /* who counts the messages */
    uint32_t message;   /* its number; 0 follows the largest */
    size_t body;        /* where the rest begins: the message, or a segment of it */
    bool is_segment;    /* it is one of several */
    bool is_last;       /* of a segment */
    uint16_t number;    /* of a segment, from 0 */
};

/*
 * Reads the header of a datagram of `size` bytes, which begins with the `given` of them that are at
 * `data`: as many as 255, or all. Returns CAUSE_UNKNOWN with *notif filled, or what is wrong with
 * it. A message of one segment is no segment.
 */
enum decode_cause udp_notif_read(const uint8_t *data, size_t given, size_t size,
                                 struct udp_notif *notif);

#endif
