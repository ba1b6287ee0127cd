/*
 * Reports what opening a spill would find, without changing anything on the disk. It runs the same
 * code, which then only changes its table of segments.
 *
 * It takes the lock for a moment to see whether another program has the folder open; a program that
 * opens the spill in that moment tries again. If another program has it open, the result is only a
 * snapshot.
 */
#ifndef SLUICE_COLLECTOR_SPILL_INSPECTION_H
#define SLUICE_COLLECTOR_SPILL_INSPECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/spill.h"

struct spill_inspection {
    bool is_there; /* the folder exists; otherwise an opening creates it */
    bool is_held;  /* another sink or program has it open */

    uint64_t blocks;  /* waiting blocks, */
    uint64_t records; /* and their records */
    uint64_t bytes;   /* of all segments, damage included */

    uint64_t kept; /* of the records: those with other labels, which are not in `blocks` */
    char kept_label[SPILL_LABEL_SIZE]; /* the first of these labels */
    uint64_t strange; /* files that are named like segments and belong to another spill */

    uint64_t lost;       /* records lost by damage, */
    uint64_t gaps;       /* the number of places where */
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
