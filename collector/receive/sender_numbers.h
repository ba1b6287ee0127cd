/*
 * The numbers that senders put on their datagrams, on their way to the sequence table.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H
#define SLUICE_COLLECTOR_RECEIVE_SENDER_NUMBERS_H

#include "collector/receive/datagram_decode.h"
#include "collector/receive/ingest_parts.h"

/*
 * Notes the number of a record of the chain, if it has one: that of its frame or, where frames have
 * none, what its schema reads in the message. `numbering` is the entry's.
 */
void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record);

#endif
