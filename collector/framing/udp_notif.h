/*
 * Reads the header of a UDP-Notif message (draft-ietf-netconf-udp-notif-22, sections 3.2 and 4): 12
 * bytes and then options, with big-endian numbers.
 *
 * Protobuf is not a registered encoding of UDP-Notif, so senders set the S flag, which selects the
 * private space. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H
#define SLUICE_COLLECTOR_FRAMING_UDP_NOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/decode_failure.h"

#define UDP_NOTIF_HEADER_SIZE 12

/* The highest possible number of segments of a message: segment numbers have 15 bits. */
#define UDP_NOTIF_SEGMENTS 32768

struct udp_notif {
    uint32_t publisher; /* id of the sender */
    uint32_t message;   /* number of the message at its sender; continues with 0 after UINT32_MAX */
    size_t body;        /* offset of the message or segment */
    bool is_segment;    /* the message has several segments, and this datagram has one of them */
    bool is_last;       /* this is the last segment */
    uint16_t number;    /* number of the segment, from 0 */
};

/*
 * Reads the header of a datagram of `size` bytes. `data` has the first `given` bytes of it: at
 * least 255, or all. Fills *notif and returns CAUSE_UNKNOWN on success, otherwise the fault. A
 * message with a single segment does not count as a segment.
 */
enum decode_cause udp_notif_read(const uint8_t *data, size_t given, size_t size,
                                 struct udp_notif *notif);

#endif
