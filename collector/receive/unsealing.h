/*
 * Opens sealed datagrams (framing=sealed): finds the sender's key, checks the tag and the time of
 * sending, and that the datagram was not received before. The payload is then handled like a plain
 * datagram, with the name of the key as its sender.
 *
 * The payload is written to memory of the ingest, never over the datagram: a refused datagram may
 * become a dead letter, and must stay as it was received. Memory is allocated only at creation. The
 * thread of the ingest calls these functions; the keys are shared (senders/sender_keys.h).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_UNSEALING_H
#define SLUICE_COLLECTOR_RECEIVE_UNSEALING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/receive/open_datagram.h"

/* Allocates the ingest's memory if its listener is sealed. Returns false if out of memory. */
bool unsealing_create(struct ingest *ingest);
/* NULL is allowed. */
void unsealing_destroy(struct unsealing *unsealing);

/* Returns the bytes that the ingest of a sealed listener allocates. */
size_t unsealing_memory(void);

/*
 * Opens the datagram. open->slot becomes its payload, which is valid until the next call for this
 * ingest; open->sender becomes the name of the key. Returns false with *refusal, and leaves *open
 * unchanged, if the datagram is refused.
 */
bool unseal_datagram(struct open_datagram *open, struct refusal *refusal);

#endif
