/*
 * The blocks of deliveries that lie in a spill's folder, read without changing anything there: for
 * `sluice spill`. One thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SPILL_BLOCKS_H
#define SLUICE_COLLECTOR_OUTPUT_SPILL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* A block, while it is visited. Its records are those that are not done with. */
struct spilled_block {
    const char *label; /* delivery_label.h; "": of an earlier version */
    uint64_t records;
    int64_t sealed_ns; /* when it was complete: since 1970 UTC */
    const char *head;  /* what its file begins with, before the first record */
    size_t head_size;
    const char *bytes; /* of its records, one after the other */
    size_t size;
};

struct spill_blocks {
    /* Returns false with `error` filled to end it. */
    bool (*visit)(void *context, const struct spilled_block *block, struct error *error);
    void *context;

    uint64_t missing; /* filled: records that are missing, damaged, or of another version; */
    uint64_t strange; /* and files that look like segments and are not of this spill */
};

/* Visits all, oldest first. Returns as spill_walk does (collector/spill/walk.h). */
int spill_blocks_visit(const char *folder, struct spill_blocks *blocks, struct error *error);

#endif
