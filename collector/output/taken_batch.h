/*
 * The batch that a sink has taken and not yet done with. Its lines go to the sink's writer where
 * they are encoded already, and its records, one after the other, where they are not; where the
 * writer stops half-way, they go on from there later.
 *
 * A value, all zero: no batch. Used by the sink's thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_TAKEN_BATCH_H
#define SLUICE_COLLECTOR_OUTPUT_TAKEN_BATCH_H

#include <stdbool.h>

#include "collector/output/sink_writer.h"
#include "collector/record/batch.h"

struct taken_batch {
    struct batch *batch;                 /* NULL: none */
    const struct encoded_batch *encoded; /* what is written of it first; NULL: nothing more */
    size_t next_encoded;                 /* of that, the next record */
    const struct record *next;           /* the next record to be encoded; NULL: none */
    const struct record *raw;            /* among these: what could not be decoded; NULL: none */
    bool half_way;                       /* the writer has stopped half-way */
};

/*
 * Takes a batch, and what its sink has taken of its lines (encoding_group_take), NULL: nothing.
 * Both are released as soon as all of it is written.
 */
void taken_batch_begin(struct taken_batch *taken, struct batch *batch,
                       const struct encoded_batch *encoded);

/*
 * Writes what is left of it. Returns false where the writer has stopped half-way: it is to be
 * called again when that need no longer wait. Where it returns true there is none any more.
 */
bool taken_batch_write(struct taken_batch *taken, struct sink_writer *writer);

#endif
