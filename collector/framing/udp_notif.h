/*
 * The header of a UDP-Notif message (draft-ietf-netconf-udp-notif-22, sections 3.2 and 4): 12 bytes
 * and options, big-endian.
 *
 * Protobuf is not a registered encoding of UDP-Notif: the S flag selects the private space. Pure
 * functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H
#define SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/decode_failure.h"

#define UDP_NOTIF_HEADER_SIZE 12

/* One more than the highest segment number. */
#define UDP_NOTIF_SEGMENTS 32768

struct udp_notif {
    uint32_t publisher; /* the id of the sender, which numbers its messages */
    uint32_t message;   /* the message's number; after the largest number it continues with 0 */
    size_t body;        /* the offset of the message or of its segment */
    bool is_segment;    /* the datagram has one of several segments of a message */
    bool is_last;       /* the segment is the last one */
    uint16_t number;    /* the segment's number, from 0 */
};

/*
 * Reads the header of a datagram of `size` bytes. `data` has the first `given` bytes of the
 * datagram: at least 255, or all. Returns CAUSE_UNKNOWN with *notif filled, or the fault. A message
 * with a single segment does not count as a segment.
 */
enum decode_cause udp_notif_read(const uint8_t *data, size_t given, size_t size,
                                 struct udp_notif *notif);

#endif
