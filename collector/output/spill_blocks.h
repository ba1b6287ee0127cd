/*
 * Reads the blocks of a delivery's spill without changing anything on the disk: for `sluice spill`.
 * One thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SPILL_BLOCKS_H
#define SLUICE_COLLECTOR_OUTPUT_SPILL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* A block, valid while it is visited. It contains only the records that have no outcome. */
struct spilled_block {
    const char *label; /* the block's label (delivery_label.h); "" for a block of an earlier
                          program version */
    uint64_t records;
    int64_t sealed_ns; /* when the block was sealed, in nanoseconds since 1970 UTC */
    const char *head;  /* the bytes with which a file of such records begins */
    size_t head_size;
    const char *bytes; /* the bytes of the records, one record after the other */
    size_t size;
};

struct spill_blocks {
    /* Called for each block. Returns false with `error` filled to end the walk. */
    bool (*visit)(void *context, const struct spilled_block *block, struct error *error);
    void *context;

    uint64_t missing; /* result: the number of records that are missing, damaged, or of another
                         version */
    uint64_t strange; /* result: the number of files named like segments that belong to another
                         spill */
};

/* Visits all blocks, oldest first. Returns as spill_walk does (collector/spill/walk.h). */
int spill_blocks_visit(const char *folder, struct spill_blocks *blocks, struct error *error);

#endif
