/*
 * Sends datagrams as packets that say who sent them first, cut into fragments where the way takes
 * no more. The destination's part; its thread alone.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_RELAY_PACKETS_H
#define SLUICE_SINKS_DESTINATIONS_RELAY_PACKETS_H

#include <stddef.h>

#include "collector/contract/destination_relay.h"
#include "collector/contract/destination_settings.h"
#include "collector/platform/udp.h"

struct relay_packets;

/* The sender, which sends packets, and the options outlive it. Returns NULL without memory. */
struct relay_packets *relay_packets_create(struct datagram_sender *sender,
                                           const struct relay_options *options);
void relay_packets_destroy(struct relay_packets *packets); /* NULL is allowed */

/* Bytes that it allocates. */
size_t relay_packets_memory(void);

/*
 * Sends the datagram to the target of that number, and fills *fate and, where it is not
 * RELAY_SENT, `error`. Returns false where the system has no room now: it is called again with the
 * same ones before any others, or relay_packets_cancel is called.
 */
bool relay_packets_send(struct relay_packets *packets, size_t target,
                        const struct relay_datagram *datagram, enum relay_outcome *fate,
                        struct error *error);
void relay_packets_cancel(struct relay_packets *packets);

#endif
