/*
 * Puts fragments together to datagrams: IPv4 by source, destination, protocol (always UDP here)
 * and identification (RFC 791, section 3.2), IPv6 by source, destination and identification (RFC
 * 8200, section 4.5).
 *
 * Fragments come in any order. A repeated fragment changes nothing. Where IPv4 fragments
 * contradict one another, the first wins; where IPv6 fragments overlap with differing bytes, the
 * datagram is refused (RFC 5722). A datagram is given up, as incomplete, when its slot is needed,
 * when a fragment of the same identification comes more than a minute off, and at the end.
 *
 * All memory is taken at creation.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_REASSEMBLY_H
#define SLUICE_COLLECTOR_CAPTURE_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/capture/capture.h"
#include "collector/capture/frame.h"

/* Datagrams under reassembly at a time. */
#define REASSEMBLY_SLOTS 64

struct reassembly;

/* A datagram whose every fragment has come, as IP carried it. */
struct reassembled {
    struct frame_hosts hosts;
    uint8_t next_header; /* of the first fragment */
    const uint8_t *data; /* valid until the next call */
    size_t size;
    uint64_t fragments; /* frames that it took, repeated ones too: for the caller to count */
};

/*
 * Creates one that counts the frames of what it gives up in `counts`, which must outlive it.
 * Returns NULL without memory.
 */
struct reassembly *reassembly_create(struct capture_counts *counts);

/* Takes a fragment of a frame captured at `time_ns`; true if it completes *reassembled. */
bool reassembly_add(struct reassembly *reassembly, const struct frame_fragment *fragment,
                    int64_t time_ns, struct reassembled *reassembled);

/* Gives up whatever is under reassembly. */
void reassembly_flush(struct reassembly *reassembly);

/* Frees it; NULL is allowed. */
void reassembly_destroy(struct reassembly *reassembly);

#endif
