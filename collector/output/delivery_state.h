/*
 * What the parts of the delivery writer share: its state, which only the sink's thread touches, but
 * for what struct sink_writer says.
 *
 * Private to these files, each of which uses those above it alone:
 *
 *   delivery_time.c    pauses, and when something is due
 *   delivery_outcomes.c   what became of the records of a block
 *   delivery_store.c   blocks on their way to the disk and from there
 *   delivery_flight.c  blocks on their way to the destination, and its answers
 *   delivery_writer.c  collecting, and the order of it all
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_STATE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_STATE_H

#include "collector/output/delivery_blocks.h"
#include "collector/output/delivery_spill.h"
#include "collector/output/sink_writer.h"

/* Random bytes of an epoch. */
#define DELIVERY_EPOCH_BYTES ((DELIVERY_EPOCH_SIZE - 1) / 2)

struct delivery_writer {
    struct sink_writer base;
    bool repeats; /* a block whose fate is unknown is sent again */
    char epoch[2 * DELIVERY_EPOCH_BYTES + 1];
    uint64_t next_number;           /* of the next record that is ready to be sent */
    uint64_t next_order;            /* of the next block that is */
    struct buffered_block *filled;  /* NULL: none is empty, or nothing was taken yet */
    struct buffered_block *waiting; /* by number */
    size_t out;                     /* blocks that are with the destination */
    bool refused;                   /* it had no room for the first that waits */
    int64_t pause_ns;               /* the next one; 0: the first */
    int64_t sends_ns;               /* monotonic: nothing is sent before */
    struct log_limit refusal_log;

    struct delivery_spill *spill;      /* NULL: nothing waits on disk */
    struct buffered_block *unstored;   /* is to be stored, and could not be yet */
    int64_t stores_ns;                 /* monotonic: the next try */
    int64_t keeps_ns;                  /* the same of those that are sent meanwhile */
    bool drained;                      /* what is on disk comes after an answer, or is gone */
    bool stopping;                     /* nothing is taken from disk any more */
    bool storing;                      /* nothing is sent any more, either: all goes to the disk */
    struct delivery_spill_counts seen; /* of the spill, as they are in the ledger */
    uint64_t spilled_before;           /* in the ledger, of a spill that was there before */
    struct log_limit spill_log;
    int64_t oldest_ns; /* wall clock, of what is in memory; INT64_MAX: nothing is */

    /* A put that stopped half-way: the record stands there, and belongs into the next block. */
    struct buffered_block *moved;
    size_t start, end;
    struct delivery_addition addition;
    char route[DELIVERY_ROUTE_SIZE];
    uint8_t key[DELIVERY_KEY_SIZE];

    size_t count;
    struct buffered_block blocks[];
};

static inline struct delivery_writer *delivery_of(struct sink_writer *writer)
{
    return (struct delivery_writer *)writer;
}

static inline const struct delivery_ops *delivery_ops_of(const struct delivery_writer *delivery)
{
    return delivery->base.destination->delivery;
}

#endif
