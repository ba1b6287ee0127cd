/*
 * The settings of one listener, checked and complete (collector/config/config.h). Every source has
 * those at the beginning; below them stand the settings that only some sources have, all zero for
 * the others. Texts are owned by the configuration.
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
    char *name;       /* the URL without its keys: "udp://127.0.0.1:5555", "fd:NAME", "pcap:FILE" */
    char *url;        /* with them, as it was written */
    char *written_at; /* "FILE:LINE:COLUMN", where a file has it; NULL: none does */
    const struct source_ops *source;
    struct schema_config *schemas; /* at least one; the first that matches a datagram has it */
    size_t schema_count;
    uint64_t max_decoded; /* bytes that one decoded datagram may take */

    /* As they were given (NULL: not), and what comes of both. */
    struct networks *allow;
    struct networks *deny;
    struct networks *senders; /* who may send; NULL: everyone */
    uint64_t rate_limit;      /* datagrams a second that each may send; 0: any number */

    /* The place of its URL, of the kind that its source has (enum source_place). */
    struct address address;
    char *place; /* a name or a path */

    /* SOURCE_KEYS_SOCKET and SOURCE_KEYS_CAPTURE, where a schema's messages come in segments */
    uint64_t segment_memory;  /* bytes for what is not whole, of each ingest */
    uint64_t segment_timeout; /* nanoseconds until a message is whole */

    /* SOURCE_KEYS_SOCKET */
    bool ipv6_only;
    uint64_t receive_buffer; /* bytes to ask the kernel for */
    uint64_t receivers;      /* threads, each with a socket of its own */
    bool spread;             /* each datagram goes to any of these; else those of a flow to one */
    uint64_t max_datagram;   /* bytes; what is longer is truncated */
    bool gro;                /* the kernel may put many datagrams of a source into one buffer */
    uint64_t busy_poll;      /* nanoseconds that the network card is asked for more; 0: not */
    bool kernel_filter;      /* the kernel is to refuse who may not send; then `senders` is set */
    char *interface;         /* of the network, by its name; NULL: every one */
    struct address group_source; /* of a multicast group; of no family: everyone's */
    uint64_t coalesce;           /* nanoseconds that datagrams may wait for others at a high rate */

    /* SOURCE_KEYS_STREAM, and ipv6_only, coalesce and receivers: threads that serve all
     * connections */
    uint64_t max_frame;       /* bytes of a message */
    uint64_t max_connections; /* in all */
    uint64_t max_per_address; /* of one address, from any port */
    uint64_t idle_timeout;    /* nanoseconds in which something comes */
    uint64_t frame_timeout;   /* nanoseconds in which a frame that has begun is whole */
    char *content_type;       /* of frame streams; NULL: any of protobuf's */
    bool tls;                 /* TLS over TCP; then cert and key are there */
    char *cert, *key;         /* files; NULL: not given */
    char *client_ca;          /* the same: clients need a certificate that it signed */

    /* SOURCE_KEYS_CAPTURE */
    uint64_t port; /* the destination port wanted, 0: any */
};

/* Whether a schema's messages may come in segments: then its ingests put them together. */
static inline bool listener_has_segments(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].framing == FRAMING_UDP_NOTIF)
            return true;
    return false;
}

#endif
