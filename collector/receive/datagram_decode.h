/*
 * Decodes a datagram's messages into the memory of a batch. Either all messages are decoded, or the
 * datagram is refused.
 *
 * Memory comes only from the batch's arena. The records are returned as a chain; the caller appends
 * them to the batch. The caller's thread owns the batch.
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
    size_t unknown_fields;       /* number of unknown fields in all messages */
    size_t series_repeated;      /* number of samples in all messages that repeat a series */
    struct text repeated_name;   /* name of the first sample that repeats a series */
    const struct packet *packet; /* for the first record; NULL if packets are not kept */
    bool is_numbered;            /* as in struct frame: the last message has a number from its
                                  * framing */
    struct frame_number number;
};

/*
 * Copies the payload and the sender's name (may be NULL) into the batch's arena, and decodes all
 * messages of the datagram with the entry's schema into *chain. On failure returns false with
 * *refusal and leaves the batch as it was. REASON_TOO_LARGE means that the batch has too little
 * room left or, with `limited`, that the datagram exceeds max_decoded.
 */
bool datagram_decode(struct batch *batch, const struct listener *listener,
                     const struct schema_entry *entry, const struct datagram_slot *datagram,
                     const char *sender, struct record_chain *chain, struct refusal *refusal);

/*
 * Creates a record that has only the datagram's packet, in the batch's arena. If the batch has too
 * little room, returns NULL without changing the batch.
 */
struct record *datagram_keep_raw(struct batch *batch, const struct listener *listener,
                                 const struct datagram_slot *datagram);

#endif
