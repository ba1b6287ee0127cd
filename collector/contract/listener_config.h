/*
 * The settings of one listener, checked and complete (collector/config/config.h). The first members
 * apply to every source. A later group applies only to the sources that its comment names, and is
 * zero for other sources. The configuration owns the strings.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_LISTENER_CONFIG_H
#define SLUICE_COLLECTOR_CONTRACT_LISTENER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/networks.h"
#include "collector/contract/schema_config.h"

struct source_ops;

struct listener_config {
    /*
     * The URL without its keys: "udp://127.0.0.1:5555", "fd:NAME", "pcap:FILE". With id=NAME,
     * "#NAME" follows. It identifies the listener in the ledger and for a reload.
     */
    char *name;
    char *url;        /* the URL as it was written, with its keys */
    char *written_at; /* "FILE:LINE:COLUMN" if it is from a file; otherwise NULL */
    const struct source_ops *source;
    struct schema_config *schemas; /* at least one; the first that matches a datagram decodes it */
    size_t schema_count;
    uint64_t max_decoded; /* maximum size of a decoded datagram in bytes */

    /*
     * The keys allow= and deny= (NULL: not given), and the permitted senders that follow from them.
     */
    struct networks *allow;
    struct networks *deny;
    struct networks *senders; /* NULL: all senders are permitted */
    uint64_t rate_limit;      /* datagrams per second and sender; 0 means no limit */

    /* The part of the URL after the scheme; the source's enum source_place selects the member. */
    struct address address;
    char *place; /* a name or a path */

    /* For SOURCE_KEYS_SOCKET and SOURCE_KEYS_CAPTURE, if a schema has segmented messages. */
    uint64_t segment_memory;  /* bytes for incomplete messages in each ingest */
    uint64_t segment_timeout; /* nanoseconds in which all segments of a message must arrive */

    /* For SOURCE_KEYS_SOCKET and SOURCE_KEYS_CAPTURE, with framing=sealed (listener_is_sealed). */
    char *keys;            /* file with the senders' keys, or NULL if not sealed */
    uint64_t seal_max_age; /* maximum nanoseconds between sending and arrival */
    char *seal_state;      /* file that remembers sessions; only SOURCE_KEYS_SOCKET; NULL: none */

    /* For SOURCE_KEYS_SOCKET. */
    bool ipv6_only;
    uint64_t receive_buffer; /* bytes to request from the kernel */
    uint64_t receivers;      /* number of threads, each with its own socket */
    /* Any socket may get a datagram; false means all datagrams of a flow go to one socket. */
    bool spread;
    uint64_t max_datagram; /* bytes; longer datagrams are truncated */
    bool gro; /* UDP_GRO: the kernel may put several datagrams of a source into one buffer */
    uint64_t busy_poll;          /* SO_BUSY_POLL in nanoseconds, or 0 if off */
    bool kernel_filter;          /* the kernel filters the senders; requires `senders` */
    char *interface;             /* name of a network interface; NULL means all */
    struct address group_source; /* the only permitted source of a multicast group; ADDRESS_NONE:
                                  * any source */
    char *id;          /* distinguishes listeners of one multicast group, or NULL if not given */
    uint64_t coalesce; /* nanoseconds that a datagram may wait for further datagrams when many
                        * arrive */

    /*
     * For SOURCE_KEYS_STREAM; these sources also have ipv6_only, coalesce, and receivers (threads
     * that serve all connections).
     */
    uint64_t max_frame;       /* maximum size of a message in bytes */
    uint64_t max_connections; /* maximum number of connections of all clients */
    uint64_t max_per_address; /* maximum number of connections from one address, on all its ports */
    uint64_t idle_timeout;    /* nanoseconds without data until a connection is closed */
    uint64_t frame_timeout;   /* nanoseconds in which a frame must be complete */
    char *content_type;       /* of Frame Streams; NULL means any protobuf type */

    /* For SOURCE_KEYS_DTLS, which also has idle_timeout, cert, key, client_ca, and `keys`. */
    uint64_t sessions;             /* maximum number of sessions of each socket */
    uint64_t sessions_per_address; /* maximum number of these sessions from one network, on all
                                      ports */

    /* For SOURCE_KEYS_TCP. */
    bool tls;         /* TLS over TCP; then cert and key are not NULL */
    char *cert, *key; /* files, or NULL if not given */
    char *client_ca;  /* file; clients need a certificate signed by this CA; NULL: not given */

    /* For SOURCE_KEYS_LOCAL. */
    uint64_t socket_mode; /* permissions of the socket's file; 0 means the default */
    char *socket_owner;   /* "USER[:GROUP]" of the socket's file; NULL: its creator */

    /* For SOURCE_KEYS_CAPTURE. */
    uint64_t port; /* destination port of the datagrams to read; 0 means any */
};

/* Returns true if a schema has segmented messages, which the ingests must assemble. */
static inline bool listener_has_segments(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].framing == FRAMING_UDP_NOTIF)
            return true;
    return false;
}

/* Returns true if its datagrams are sealed. All of its schemas have the same framing then. */
static inline bool listener_is_sealed(const struct listener_config *listener)
{
    return listener->schemas[0].framing == FRAMING_SEALED;
}

#endif
