/*
 * The state that the parts of the delivery writer share. Only the sink's thread uses it, except for
 * the members that struct sink_writer marks.
 *
 * Private to these files. Each file uses only the files above it:
 *
 *   delivery_outage.c    the outages of the far end, for the log
 *   delivery_time.c      pauses, and when something is due
 *   delivery_outcomes.c  the outcomes of a block's records
 *   delivery_store.c     blocks to the disk and back
 *   delivery_flight.c    blocks to the destination, and its answers
 *   delivery_writer.c    collects records, and calls the other files in order
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_STATE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_STATE_H

#include "collector/output/delivery_blocks.h"
#include "collector/output/delivery_spill.h"
#include "collector/output/sink_writer.h"

/* Number of random bytes in an epoch. */
#define DELIVERY_EPOCH_BYTES ((DELIVERY_EPOCH_SIZE - 1) / 2)

struct delivery_writer {
    struct sink_writer base;
    bool repeats; /* a block whose outcome is unknown is sent again */
    char epoch[2 * DELIVERY_EPOCH_BYTES + 1];
    uint64_t next_number; /* number of the first record of the next sealed block */
    uint64_t next_order;  /* order of the next block that is queued */
    /*
     * The block that collects records. NULL before the first record, and while no block is empty.
     */
    struct buffered_block *filled;
    struct buffered_block *waiting; /* the first of the waiting blocks, which are sorted by
                                       `order` */
    size_t out;                     /* number of blocks that the destination has */
    bool refused;                   /* the destination had no room for the first waiting block */
    bool is_away;                   /* the latest result of delivery_ops.is_away: true if the far
                                     * end cannot be reached */
    int64_t pause_ns; /* the last pause after a failure in nanoseconds; 0 means none */
    int64_t sends_ns; /* no block is sent before this time (monotonic) */
    struct log_limit refusal_log;

    struct delivery_spill *spill;      /* NULL if spill= is not set */
    struct buffered_block *unstored;   /* a block that could not be stored yet */
    int64_t stores_ns;                 /* when storing `unstored` is tried again (monotonic) */
    int64_t keeps_ns;                  /* when delivery_keep_late is tried again (monotonic) */
    bool drained;                      /* true: taking a block from disk is not tried before the
                                        * next answer arrives */
    bool stopping;                     /* no block is taken from disk any more, because the sink
                                          stops */
    bool storing;                      /* no block is sent any more, and all blocks are stored on
                                          disk */
    struct delivery_spill_counts seen; /* the spill's counts that the ledger already has */
    uint64_t spilled_before;           /* records in an earlier spill that the ledger still counts
                                        * as spilled */
    struct log_limit spill_log;        /* limits the log of failures other than failures to store
                                          a block */
    struct log_trouble spill_trouble;  /* blocks cannot be stored */
    /* When the oldest open block was sealed (wall clock); INT64_MAX if no block is open. */
    int64_t oldest_ns;

    /*
     * Set if put (struct sink_writer_ops) stopped half-way because its record belongs into the next
     * block. `moved` is the block that has the record now, from `start` to `end`. No block is read
     * from disk into `moved` until the record has been moved, even if its other records have their
     * outcomes.
     */
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
