/* Passes the senders' sequence numbers to the table that finds gaps in them. */
#ifndef SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H
#define SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H

#include "collector/receive/datagram_decode.h"
#include "collector/receive/ingest_parts.h"

/*
 * Passes on the sequence number of a record of the chain, if it has one: the number of its frame
 * or, if the framing has no numbers, the number that the schema reads from the message. `numbering`
 * is that of the schema entry.
 */
void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record);

#endif
