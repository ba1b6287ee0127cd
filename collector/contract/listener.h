/* The name, schemas and limits of a listener, to which its records refer. */
#ifndef SLUICE_COLLECTOR_CONTRACT_LISTENER_H
#define SLUICE_COLLECTOR_CONTRACT_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct networks;
struct rate_limit;
struct dtls_settings;
struct mismatch_hint;
struct sender_keys;
struct schema_slot;

/* Upper bound of rate_limit=, in datagrams per second and sender. */
#define RATE_LIMIT_MOST UINT64_C(1000000)

/* The listener that a record came from. Immutable; outlives all batches. */
struct listener {
    uint32_t index;
    const char *name; /* its URL without the keys: "udp://127.0.0.1:5555", "pcap:FILE" */
    struct schema_slot *schemas;
    const char *schema_names; /* the names of all its schemas, for messages */
    size_t max_decoded;       /* maximum number of bytes of all decoded messages of a datagram */
    /* Bytes for segments in each ingest; 0 if no schema has segmented messages. */
    size_t segment_memory;
    int64_t segment_timeout_ns;       /* nanoseconds in which all segments of a message must
                                         arrive */
    const struct networks *senders;   /* the permitted senders; NULL means all */
    struct rate_limit *rate_limit;    /* the rate limit of each sender, or NULL */
    const struct sender_keys *keys;   /* keys of the senders of sealed datagrams; NULL: the
                                       * datagrams are not sealed */
    int64_t seal_max_age_ns;          /* maximum nanoseconds between sending and arrival of a
                                         sealed datagram */
    const struct dtls_settings *dtls; /* for DTLS; NULL for other listeners */
    size_t sessions;                  /* DTLS: maximum number of sessions of each socket */
    size_t sessions_per_address;      /* DTLS: maximum number of these sessions from one network */
    struct mismatch_hint *hint;       /* detects a wrong schema, or NULL if disabled */
    bool spread;        /* the listener has several sockets, and each datagram of a sender may reach
                         * any of them */
    bool several;       /* a sender may use several connections or sockets at once; each is read
                         * independently of the others */
    bool keeps_packets; /* a sink writes whole datagrams (needs_packets of encoder_ops) */
    bool keeps_raw;     /* a relay also forwards datagrams that could not be decoded (raw of
                           relay_options) */
};

#endif
