/*
 * What an earlier run left in a folder: found, put in order, and mended. No damage is an error.
 */
#ifndef SLUICE_COLLECTOR_SPILL_RECOVERY_H
#define SLUICE_COLLECTOR_SPILL_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/cursor.h"
#include "collector/spill/segments.h"

struct recovered {
    uint64_t spill;    /* the random number of this spill's blocks; 0: there is nothing of one */
    uint64_t position; /* below it all was settled */
    uint64_t read;     /* no block at or after this position was read */
};

/*
 * Fills an empty table with the segments of its folder that are not done with, and segments->end.
 * `place` is what the cursor says; NULL: nothing. Other files are left alone. Segments whose end is
 * torn are cut; those that hold no block of this spill are removed where they are empty or torn,
 * and otherwise set aside, as are those that cannot be read. Returns 0, or -1 with `error` filled:
 * the folder cannot be read, or memory is short.
 */
int recovery_run(struct segments *segments, const struct cursor_place *place,
                 struct recovered *recovered, struct error *error);

#endif
