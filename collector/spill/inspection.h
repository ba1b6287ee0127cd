/*
 * Reports what opening a spill would find, without changing the disk. An inspection runs the code
 * of an opening, but changes only a table in memory.
 *
 * It takes the lock for a moment to see whether another program has the folder open; a program
 * that opens the spill in that moment tries again. If another program has the folder open, the
 * result is only a snapshot.
 */
#ifndef SLUICE_COLLECTOR_SPILL_INSPECTION_H
#define SLUICE_COLLECTOR_SPILL_INSPECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/spill.h"

struct spill_inspection {
    bool is_there; /* the folder exists; otherwise an opening creates it */
    bool is_held;  /* another sink or program has the folder open */

    uint64_t blocks;  /* number of waiting blocks, without those in kept segments */
    uint64_t records; /* number of records in waiting and kept blocks */
    uint64_t bytes;   /* size of all segments, with their damaged parts */

    uint64_t kept;                     /* part of `records`: in kept segments, with other labels */
    char kept_label[SPILL_LABEL_SIZE]; /* the label of the oldest kept block */
    uint64_t strange; /* files that are named like segments and belong to another spill */

    uint64_t lost;       /* records lost by damage */
    uint64_t gaps;       /* number of places at which records are missing */
    uint64_t too_large;  /* records in blocks that are larger than settings->image_size */
    uint64_t unverified; /* blocks whose images were not verified */

    bool knows_free;
    uint64_t free; /* bytes of the disk that this process may still use */
};

/*
 * Inspects the spill of a folder. Reads and verifies images until `until_ns` (monotonic), after
 * that only the heads and labels of blocks. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG,
 * EXIT_CODE_CANNOT_CREATE or EXIT_CODE_INTERNAL) if spill_open would fail. It is not an error here
 * if another program has the folder open.
 */
int spill_inspect(const struct spill_settings *settings, int64_t until_ns,
                  struct spill_inspection *inspection, struct error *error);

#endif
