/*
 * What an earlier run left in a folder: found, put in order, and mended. No damage is an error.
 *
 * Files are recognised by the heads of their blocks, and not by their names: a segment that was
 * renamed or copied is in the order of its positions. The cursor says how many records there were.
 */
#ifndef SLUICE_COLLECTOR_SPILL_RECOVERY_H
#define SLUICE_COLLECTOR_SPILL_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/cursor.h"
#include "collector/spill/kept.h"
#include "collector/spill/segments.h"

struct recovered {
    uint64_t spill;    /* the random number of this spill's blocks; 0: there is nothing of one */
    uint64_t position; /* below it all was settled */
    uint64_t read;     /* no block at or after this position was read */
    uint64_t lost;     /* records that are known to be missing, less those that the table shows */
    uint64_t strange;  /* files that look like segments and are none of this spill: left alone */
};

/*
 * Fills two empty tables with the segments of their folder that are not done with and with those
 * that are kept, and segments->end. `place` is what the cursor says; NULL: nothing. `label` is that
 * of the sink (spill.h).
 *
 * Segments whose end is torn are cut. Those without a whole block are removed where they are empty
 * or torn, and otherwise set aside, as are those that cannot be read. Files of another spill, other
 * files and further copies of a segment are left alone, and warned of. Returns 0, or -1 with
 * `error` filled: the folder cannot be read, a file not be renamed, or memory is short.
 */
int recovery_run(struct segments *segments, struct kept *kept, const struct cursor_state *state,
                 const char *label, struct recovered *recovered, struct error *error);

#endif
