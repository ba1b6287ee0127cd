/*
 * Reports what opening a spill would find, without changing anything on the disk. An inspection
 * runs the same code as an opening, but that code then changes only its table of segments.
 *
 * An inspection takes the lock for a moment to see whether another program has the folder open; a
 * program that opens the spill in that moment tries again. If another program has the folder open,
 * the result is only a snapshot.
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

    uint64_t blocks;  /* number of waiting blocks, without kept ones */
    uint64_t records; /* number of records in waiting and kept blocks */
    uint64_t bytes;   /* size of all segments, damaged parts included */

    uint64_t kept;                     /* part of `records`: records in kept blocks with other
                                          labels */
    char kept_label[SPILL_LABEL_SIZE]; /* the label of the oldest kept block */
    uint64_t strange; /* files that are named like segments and belong to another spill */

    uint64_t lost;       /* records lost by damage */
    uint64_t gaps;       /* number of places where records are missing */
    uint64_t too_large;  /* records in blocks that are larger than settings->image_size */
    uint64_t unverified; /* blocks whose images were not compared with their checksums */

    bool knows_free;
    uint64_t free; /* bytes of the disk that this process may still use */
};

/*
 * Inspects the spill of a folder. Images are read and verified until `until_ns` (monotonic); of
 * later blocks only the heads are read. Returns 0, or -1 with `error` filled if an opening would
 * fail, except because another program has it open: EXIT_CODE_CONFIG, EXIT_CODE_CANNOT_CREATE and
 * EXIT_CODE_INTERNAL, as spill_open.
 */
int spill_inspect(const struct spill_settings *settings, int64_t until_ns,
                  struct spill_inspection *inspection, struct error *error);

#endif
