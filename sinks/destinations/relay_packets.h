/*
 * Sends datagrams as packets with their original source address, in fragments if they exceed the
 * path MTU. Only for the sink's thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_RELAY_PACKETS_H
#define SLUICE_SINKS_DESTINATIONS_RELAY_PACKETS_H

#include <stddef.h>

#include "collector/contract/destination_relay.h"
#include "collector/contract/destination_settings.h"
#include "collector/platform/udp.h"

struct relay_packets;

/*
 * `sender`, which must be able to send raw packets, and the options must outlive the result.
 * Returns NULL if out of memory.
 */
struct relay_packets *relay_packets_create(struct datagram_sender *sender,
                                           const struct relay_options *options);
void relay_packets_destroy(struct relay_packets *packets); /* NULL is allowed */

/* Returns the bytes that relay_packets_create allocates. */
size_t relay_packets_memory(void);

/*
 * Sends the datagram to the target with index `target`. Fills *outcome and, unless it is
 * RELAY_SENT, `error`. Returns false if the system has no room. The caller must then repeat the
 * call with the same datagram and target before any other call, or call relay_packets_cancel.
 */
bool relay_packets_send(struct relay_packets *packets, size_t target,
                        const struct relay_datagram *datagram, enum relay_outcome *outcome,
                        struct error *error);
void relay_packets_cancel(struct relay_packets *packets);

#endif
