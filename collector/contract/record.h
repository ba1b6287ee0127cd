/*
 * A record: one decoded message with the facts of its datagram. It stands in a batch
 * (collector/record/batch.h) and is immutable once that is shared.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_RECORD_H
#define SLUICE_COLLECTOR_CONTRACT_RECORD_H

#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/framing.h"

struct listener;
struct schema;

/* A datagram as it was received, for the sinks that write it whole. */
struct packet {
    const uint8_t *data; /* the payload */
    uint32_t size;
    struct address destination;
};

struct record {
    struct record *next;
    const struct listener *listener;
    const struct schema *schema; /* NULL: it could not be decoded (collector/record/batch.h) */
    const void *message;         /* for the schema's operations */
    const uint8_t *data; /* the message's own bytes: the payload, or the message's part of it */

    /*
     * The datagram, in its first record where the listener keeps packets
     * (collector/contract/encoder.h); NULL in its others, so that it is written once.
     */
    const struct packet *packet;
    uint32_t size; /* of `data` */
    enum otlp_udp_sampling sampling;
    struct address source;
    int64_t received_ns; /* arrival, nanoseconds since 1970 UTC */
};

#endif
