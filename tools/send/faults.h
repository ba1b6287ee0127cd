/*
 * Datagrams that a collector must refuse.
 *
 * Lifecycle: init, make datagrams, clear. What is handed out belongs to the faults: the malformed
 * ones live until FAULTS_ALIVE further ones were made. One thread.
 */
#ifndef SLUICE_TOOLS_SEND_FAULTS_H
#define SLUICE_TOOLS_SEND_FAULTS_H

#include <stdint.h>

#include "tools/send/message.h"
#include "tools/sending/udp_sender.h"

#define FAULTS_ALIVE 64

struct faults {
    uint8_t *oversized;
    uint8_t *malformed; /* FAULTS_ALIVE of UDP_PAYLOAD_MAX bytes, used in turn */
    uint64_t made;
};

/* For messages of a shape. Returns 0, or -1 where memory is short; to be cleared in either case. */
int faults_init(struct faults *faults, const struct message_shape *shape);
void faults_clear(struct faults *faults);

/*
 * No message of any schema: in turn one that ends inside a field, one that begins with a wire type
 * that does not exist, and one whose first varint does not end. About as long as the good one.
 */
struct udp_payload faults_malformed(struct faults *faults, const struct message_template *good);

/*
 * As long as a datagram can be, and some megabytes when decoded, being nothing but empty messages
 * in the shape's repeated field (samples, events, resources): too large for a collector that bounds
 * what it decodes, and truncated by one that takes shorter datagrams.
 */
struct udp_payload faults_oversized(const struct faults *faults);

#endif
