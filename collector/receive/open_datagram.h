/*
 * A datagram while it is handled, with the batch that its records go to.
 *
 * RULE: from begin to end the datagram owns the batch that its ingest was filling: the ingest has
 * none. A batch can be sealed and another one opened under the datagram only by
 * open_datagram_next_batch, which forgets the entry, because records refer to the schemas of their
 * own batch. An entry is therefore never kept anywhere else.
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
    const struct datagram_slot *slot; /* NULL: none came, and others that were held are given up */
    struct batch *batch;              /* in hand; NULL: none was needed yet, or to be had */
    const struct schema_entry *entry; /* takes it, in the list of the batch; NULL: not known */
};

/* Takes the batch out of the ingest's hands. */
static inline void open_datagram_begin(struct open_datagram *open, struct ingest *ingest,
                                       const struct datagram_slot *slot)
{
    RULE(ingest->in_hand == NULL, "an ingest handles one datagram at a time");
    *open = (struct open_datagram){.ingest = ingest, .slot = slot, .batch = ingest->into->batch};
    ingest->into->batch = NULL;
    ingest->in_hand = open;
}

/* Gives it back, or the one that took its place. */
static inline void open_datagram_end(struct open_datagram *open)
{
    RULE(open->ingest->into->batch == NULL, "no batch is opened beside that of a datagram");
    open->ingest->into->batch = open->batch;
    open->ingest->in_hand = NULL;
}

/* Sees to it that there is a batch; a small one where there was none. */
bool open_datagram_has_batch(struct open_datagram *open);

/* Finds its entry in the list of the batch, which it has. Returns false with *refusal. */
static inline bool open_datagram_find(struct open_datagram *open, struct refusal *refusal)
{
    const struct datagram_slot *slot = open->slot;
    open->entry = schema_list_find(open->batch->schemas, &slot->source, slot->front,
                                   datagram_front_size(slot));
    return open->entry != NULL || refused_for(refusal, REASON_NO_MATCH);
}

/*
 * Seals the batch and opens another one: a small one or, where nothing was in it, a large one.
 * Returns false where there is none; then it has none.
 */
bool open_datagram_next_batch(struct open_datagram *open);

/* Whether what does not fit its batch fits none. */
static inline bool open_datagram_has_largest(const struct open_datagram *open)
{
    return open->batch->large && batch_is_empty(open->batch);
}

/* The name of the schema that takes it, until the batch is another one; NULL: it is not known. */
static inline const char *open_datagram_schema(const struct open_datagram *open)
{
    return open->entry != NULL ? open->entry->schema->name : NULL;
}

/* Sees to it that it has a batch and its entry, both of which may have gone. Returns false with
 * *refusal. */
bool open_datagram_is_ready(struct open_datagram *open, struct refusal *refusal);

/*
 * After a refusal: whether it was for want of room and the datagram has more room now, in another
 * batch with its entry. Otherwise *refusal stands, or another one in its place.
 */
bool open_datagram_has_more_room(struct open_datagram *open, struct refusal *refusal);

/* Decodes the datagram, which is ready, into its batch. Returns false with *refusal. */
static inline bool open_datagram_decode(struct open_datagram *open, struct record_chain *chain,
                                        struct refusal *refusal)
{
    while (!datagram_decode(open->batch, open->ingest->listener, open->entry, open->slot, chain,
                            refusal))
        if (!open_datagram_has_more_room(open, refusal))
            return false;
    return true;
}

/* Appends the records of so many datagrams to the batch, all at once, and counts them. */
void open_datagram_append(struct open_datagram *open, const struct record_chain *chain,
                          size_t datagrams);

#endif
