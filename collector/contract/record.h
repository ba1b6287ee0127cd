/*
 * A record: one decoded message and the facts of its datagram. A record is in a batch
 * (collector/record/batch.h) and is immutable after the batch is shared.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_RECORD_H
#define SLUICE_COLLECTOR_CONTRACT_RECORD_H

#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/framing.h"

struct listener;
struct schema;

/* A datagram as it was received, for sinks that write whole datagrams. */
struct packet {
    const uint8_t *data; /* the payload */
    uint32_t size;
    struct address destination;
};

struct record {
    struct record *next;
    const struct listener *listener;
    /* NULL if the datagram could not be decoded (collector/record/batch.h). */
    const struct schema *schema;
    const void *message; /* an argument of the schema's operations */
    const uint8_t *data; /* the message's bytes: the payload, or a part of it */

    /*
     * The datagram, if the listener keeps packets. Only the first record of a datagram has it, so
     * that the datagram is written once.
     */
    const struct packet *packet;
    uint32_t size; /* number of bytes in `data` */
    enum otlp_udp_sampling sampling;
    /*
     * The name that the sender has proved, at most SENDER_NAME_MAX bytes: the name of the key of a
     * sealed datagram, or the name of a DTLS session. NULL if the sender has no such name.
     */
    const char *sender;
    struct address source;
    int64_t received_ns; /* arrival time, nanoseconds since 1970 UTC */
};

#endif
