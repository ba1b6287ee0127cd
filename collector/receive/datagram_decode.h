/*
 * Decodes a datagram's messages into the memory of a batch: all of them or none.
 *
 * Memory comes only from the batch's arena. The records are returned as a chain and are not yet
 * appended to the batch. The caller's thread owns the batch.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DATAGRAM_DECODE_H
#define SLUICE_COLLECTOR_RECEIVE_DATAGRAM_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"
#include "collector/framing/frames.h"
#include "collector/platform/udp.h"
#include "collector/receive/refusal.h"
#include "collector/record/batch.h"
#include "collector/record/schema_list.h"

/* The records of one datagram, linked in the order of its messages. */
struct record_chain {
    struct record *first;
    struct record *last;
    size_t count;
    size_t unknown_fields;       /* of their messages */
    const struct packet *packet; /* for the first record; NULL: not kept */
    bool is_numbered;            /* as in struct frame, of the last message */
    struct frame_number number;
};

/*
 * Decodes all messages of the datagram as the entry's schema into *chain; the payload is copied
 * into the batch's arena first. Returns false with *refusal; the batch is then as it was.
 * REASON_TOO_LARGE says that the batch has too little room left, unless `limited` is set.
 */
bool datagram_decode(struct batch *batch, const struct listener *listener,
                     const struct schema_entry *entry, const struct datagram_slot *datagram,
                     struct record_chain *chain, struct refusal *refusal);

/*
 * The datagram as a record with only a packet, in the batch's arena. Returns NULL if the batch has
 * too little room left; it is then as it was.
 */
struct record *datagram_keep_raw(struct batch *batch, const struct listener *listener,
                                 const struct datagram_slot *datagram);

#endif
