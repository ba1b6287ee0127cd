/*
 * The batch that a sink has taken from a queue and is writing. Its records go to the sink's writer
 * one after the other. If the writer stops half-way, a later call continues.
 *
 * All zero means that there is no batch. Used by the sink's thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_TAKEN_BATCH_H
#define SLUICE_COLLECTOR_OUTPUT_TAKEN_BATCH_H

#include <stdbool.h>

#include "collector/output/sink_writer.h"
#include "collector/record/batch.h"

struct taken_batch {
    struct batch *batch;       /* NULL if there is no batch */
    const struct record *next; /* the next record to be encoded, or NULL */
    const struct record *raw;  /* the next undecoded datagram, or NULL */
    bool half_way;             /* the writer has stopped half-way */
};

/* Takes ownership of the batch, and releases it as soon as all of it is written. */
void taken_batch_begin(struct taken_batch *taken, struct batch *batch);

/*
 * Writes the rest of the batch. Returns false if the writer stopped half-way; it must then be
 * called again after the wait. When it returns true there is no batch any more.
 */
bool taken_batch_write(struct taken_batch *taken, struct sink_writer *writer);

#endif
