/*
 * Makes datagrams that a collector must refuse.
 *
 * Lifecycle: init, make datagrams, clear. The datagrams belong to the struct; a malformed one is
 * valid until FAULTS_ALIVE more were made. One thread.
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
 * Initialises the struct for messages of a shape. Returns 0, or -1 if memory is short; clear it in
 * either case.
 */
int faults_init(struct faults *faults, const struct message_shape *shape);
void faults_clear(struct faults *faults);

/*
 * Makes a datagram that is not a message of any schema. In turn: one that ends inside a field, one
 * that begins with an invalid wire type, and one whose first varint does not end. It is about as
 * long as `good`.
 */
struct udp_payload faults_malformed(struct faults *faults, const struct message_template *good);

/*
 * Makes a datagram of the largest size, which decodes to several megabytes: it contains only empty
 * messages in the repeated field of the shape (samples, events, resources). A collector that limits
 * decoded size refuses it as too large; a collector with a smaller datagram limit truncates it.
 */
struct udp_payload faults_oversized(const struct faults *faults);

#endif
