/*
 * A listener, as its records carry it: its name, its schemas and its limits.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_LISTENER_H
#define SLUICE_COLLECTOR_CONTRACT_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct networks;
struct rate_limit;
struct mismatch_hint;
struct schema_slot;

/* The most datagrams a second that a listener may allow each sender. */
#define RATE_LIMIT_MOST UINT64_C(1000000)

/* What a record's lines say about where it came from. Immutable; outlives all batches. */
struct listener {
    uint32_t index;
    const char *name; /* its URL without the keys: "udp://127.0.0.1:5555", "pcap:FILE" */
    struct schema_slot *schemas;
    const char *schema_names;       /* of all of them, for people */
    size_t max_decoded;             /* bytes that all messages of a datagram may take */
    size_t segment_memory;          /* bytes for segments, of each ingest; 0: messages have none */
    int64_t segment_timeout_ns;     /* until a message that comes in segments is whole */
    const struct networks *senders; /* who may send; NULL: everyone */
    struct rate_limit *rate_limit;  /* how much each may send; NULL: any number */
    struct mismatch_hint *hint;     /* whether its schemas are right; NULL: nobody looks */
    bool spread;        /* several sockets receive it, each any of a sender's datagrams */
    bool keeps_packets; /* some sink writes whole datagrams (encoder_ops' needs_packets) */
    bool keeps_raw; /* some sink passes on what could not be decoded, too (relay_options' raw) */
};

#endif
