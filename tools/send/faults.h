/*
 * Makes datagrams that a collector must refuse.
 *
 * Lifecycle: init, make datagrams, clear. The datagrams belong to the struct. A malformed datagram
 * is valid until FAULTS_ALIVE more of them were made. One thread.
 */
#ifndef SLUICE_TOOLS_SEND_FAULTS_H
#define SLUICE_TOOLS_SEND_FAULTS_H

#include <stdint.h>

#include "tools/send/message.h"
#include "tools/sending/udp_sender.h"

#define FAULTS_ALIVE 64

struct faults {
    uint8_t *oversized;
    uint8_t *malformed; /* FAULTS_ALIVE buffers of UDP_PAYLOAD_MAX bytes, used in turn */
    uint64_t made;
};

/*
 * Prepares datagrams that resemble messages of this shape. Returns 0, or -1 if out of memory. The
 * caller clears the struct in both cases.
 */
int faults_init(struct faults *faults, const struct message_shape *shape);
void faults_clear(struct faults *faults);

/*
 * Makes a datagram that is not a message of any schema, about as long as `good`. There are three
 * kinds in turn. The first ends within a field, the second begins with an invalid wire type, and
 * the third begins with a varint that does not end.
 */
struct udp_payload faults_malformed(struct faults *faults, const struct message_template *good);

/*
 * Makes a datagram of the maximum size, which decodes to several megabytes: it has only empty
 * messages in a repeated field of the schema (samples, events, resources). A collector that limits
 * the decoded size refuses it as too large. A collector with a smaller limit for datagrams
 * truncates it.
 */
struct udp_payload faults_oversized(const struct faults *faults);

#endif
