/*
 * A datagram that is being handled, and the batch to which its records are written.
 *
 * RULE: from open_datagram_begin to open_datagram_end the datagram owns the batch that its ingest
 * is filling, and the ingest's pointer to the batch is NULL. Only open_datagram_next_batch seals
 * this batch and opens another. The new batch may have another list of schemas, so
 * open_datagram_next_batch also clears `entry`. No other code may keep a pointer to the entry.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_OPEN_DATAGRAM_H
#define SLUICE_COLLECTOR_RECEIVE_OPEN_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/rule.h"
#include "collector/receive/datagram_decode.h"
#include "collector/receive/ingest_parts.h"
#include "collector/record/schema_list.h"

struct open_datagram {
    struct ingest *ingest;
    const struct datagram_slot *slot; /* NULL while segments are given up without a new datagram */
    const char *sender;  /* name of the key that sealed the datagram, or that the DTLS client has
                            proved; may be NULL */
    struct batch *batch; /* NULL if not needed yet, or if no batch was available */
    const struct schema_entry *entry; /* its schema, from the batch's list; may be NULL */
};

/* Takes the batch from the ingest. */
static inline void open_datagram_begin(struct open_datagram *open, struct ingest *ingest,
                                       const struct datagram_slot *slot)
{
    RULE(ingest->in_hand == NULL, "an ingest handles one datagram at a time");
    *open = (struct open_datagram){.ingest = ingest, .slot = slot, .batch = ingest->into->batch};
    ingest->into->batch = NULL;
    ingest->in_hand = open;
}

/* Returns the batch, or the one that replaced it, to the ingest. */
static inline void open_datagram_end(struct open_datagram *open)
{
    RULE(open->ingest->in_hand == open && open->ingest->into->batch == NULL,
         "a datagram owns the only open batch until it ends");
    open->ingest->into->batch = open->batch;
    open->ingest->in_hand = NULL;
}

/* Opens a small batch if the datagram has none. Returns false if no batch is available. */
bool open_datagram_has_batch(struct open_datagram *open);

/*
 * Finds the entry in the batch's list of schemas. Returns false with *refusal if no schema matches.
 */
static inline bool open_datagram_find(struct open_datagram *open, struct refusal *refusal)
{
    const struct datagram_slot *slot = open->slot;
    open->entry = schema_list_find(open->batch->schemas, &slot->source, open->sender, slot->front,
                                   datagram_front_size(slot));
    return open->entry != NULL || refused_for(refusal, REASON_NO_MATCH);
}

/*
 * Seals the batch and opens another: a large one if the batch was empty, otherwise a small one.
 * Returns false, without a batch, if none is available.
 */
bool open_datagram_next_batch(struct open_datagram *open);

/* Returns true if no batch has more room than the present one: it is large and empty. */
static inline bool open_datagram_has_largest(const struct open_datagram *open)
{
    return batch_is_largest(open->batch);
}

/* Returns the name of the datagram's schema, or NULL. The name is valid until the batch changes. */
static inline const char *open_datagram_schema(const struct open_datagram *open)
{
    return open->entry != NULL ? open->entry->schema->name : NULL;
}

/*
 * Finds the batch and the entry again if they have changed. (When segments are given up they may be
 * copied into the batch, and a full batch is replaced.) Returns false with *refusal if there is no
 * batch or no schema.
 */
bool open_datagram_is_ready(struct open_datagram *open, struct refusal *refusal);

/*
 * Prepares a second attempt after a refusal: if the batch was too small, opens a batch with more
 * room and finds the entry in it. Returns true if decoding can be tried again. Otherwise *refusal
 * has the reason.
 */
bool open_datagram_has_more_room(struct open_datagram *open, struct refusal *refusal);

/* Decodes the datagram, which must have a batch and an entry. Returns false with *refusal. */
static inline bool open_datagram_decode(struct open_datagram *open, struct record_chain *chain,
                                        struct refusal *refusal)
{
    while (!datagram_decode(open->batch, open->ingest->listener, open->entry, open->slot,
                            open->sender, chain, refusal))
        if (!open_datagram_has_more_room(open, refusal))
            return false;
    return true;
}

/* Appends the records of `datagrams` datagrams to the batch and counts them. */
void open_datagram_append(struct open_datagram *open, const struct record_chain *chain,
                          size_t datagrams);

#endif
