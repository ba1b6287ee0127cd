/*
 * Passes the sequence numbers of senders on to the table that finds gaps in them.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H
#define SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H

#include "collector/receive/datagram_decode.h"
#include "collector/receive/ingest_parts.h"

/*
 * Passes on the sequence number of a record of the chain, if the record has one. This is the number
 * of its frame or, for framings without numbers, the number that the schema reads from the message.
 * `numbering` is the entry's.
 */
void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record);

#endif
