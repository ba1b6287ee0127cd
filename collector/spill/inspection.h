/*
 * What an opening of a spill would find, without changing anything on the disk: by the same code,
 * which then changes its table of segments alone.
 *
 * To see whether another program has the folder open it takes the lock for a moment; whoever opens
 * the spill in that moment tries again. While another program has it open, what is found is as old
 * as the moment in which it was read.
 */
#ifndef SLUICE_COLLECTOR_SPILL_INSPECTION_H
#define SLUICE_COLLECTOR_SPILL_INSPECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/spill.h"

struct spill_inspection {
    bool is_there; /* the folder; else an opening makes it, and there is nothing */
    bool is_held;  /* another sink or program has it open */

    uint64_t blocks;  /* that wait, */
    uint64_t records; /* and what they hold */
    uint64_t bytes;   /* of all segments, with what is damaged */

    uint64_t kept; /* of the records: under other labels; in none of the blocks */
    char kept_label[SPILL_LABEL_SIZE]; /* the first of these labels */
    uint64_t strange;                  /* files named as segments that are none of this spill */

    uint64_t lost;       /* records that damage has cost, */
    uint64_t gaps;       /* in so many places */
    uint64_t too_large;  /* records of blocks that are larger than settings->image_size */
    uint64_t unverified; /* blocks whose images were not compared with their checksums */

    bool knows_free;
    uint64_t free; /* bytes that the disk has left for this process */
};

/*
 * Inspects the spill of a folder. The images of blocks are read and verified until `until_ns`
 * (monotonic); of later ones only the heads are. Returns 0, or -1 with `error` filled where an
 * opening would fail, except where another has it open: EXIT_CODE_CONFIG, EXIT_CODE_CANNOT_CREATE
 * and EXIT_CODE_INTERNAL, as spill_open says.
 */
int spill_inspect(const struct spill_settings *settings, int64_t until_ns,
                  struct spill_inspection *inspection, struct error *error);

#endif
