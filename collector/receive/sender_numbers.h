/*
 * Passes the sequence numbers of senders on to the table that finds gaps in them.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H
#define SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H

#include "collector/receive/datagram_decode.h"
#include "collector/receive/ingest_parts.h"

/*
 * Notes the sequence number of a record of the chain, if it has one: that of its frame or, for
 * framings without numbers, the one that the schema reads from the message. `numbering` is the
 * entry's.
 */
void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record);

#endif
