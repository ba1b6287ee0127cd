/*
 * Reassembles datagrams from fragments: IPv4 by source, destination, protocol (always UDP here) and
 * identification (RFC 791, section 3.2), IPv6 by source, destination and identification (RFC 8200,
 * section 4.5).
 *
 * Fragments may be in any order; a repeated fragment has no effect. If IPv4 fragments overlap, the
 * first one stored wins. If an IPv6 fragment overlaps others and is not an exact repetition, the
 * datagram is refused (RFC 5722). A datagram is dropped as incomplete if its slot is needed, if a
 * fragment with the same identification is more than a minute older or newer, and at the end.
 *
 * reassembly_create allocates all memory.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_REASSEMBLY_H
#define SLUICE_COLLECTOR_CAPTURE_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/capture/capture.h"
#include "collector/capture/frame.h"

/* The most datagrams under reassembly at a time. */
#define REASSEMBLY_SLOTS 64

struct reassembly;

/* A reassembled datagram, which is the payload of an IP packet. */
struct reassembled {
    struct frame_hosts hosts;
    uint8_t next_header; /* protocol that the first fragment names */
    const uint8_t *data; /* valid until the next call */
    size_t size;
    uint64_t fragments; /* number of its frames, including repeated ones */
};

/*
 * Creates a reassembly, which counts dropped datagrams and their frames in `counts`. `counts` must
 * outlive the reassembly. Returns NULL if memory is short.
 */
struct reassembly *reassembly_create(struct capture_counts *counts);

/*
 * Adds a fragment of a frame captured at `time_ns`. If the fragment completes a datagram, returns
 * true with the datagram in *reassembled.
 */
bool reassembly_add(struct reassembly *reassembly, const struct frame_fragment *fragment,
                    int64_t time_ns, struct reassembled *reassembled);

/* Drops all datagrams under reassembly as incomplete. */
void reassembly_flush(struct reassembly *reassembly);

/* Frees the reassembly; NULL is allowed. */
void reassembly_destroy(struct reassembly *reassembly);

#endif
