/*
 * Finds the segments that an earlier run left in a folder, sorts them, and repairs them. Damage is
 * not an error. A file is recognized by the heads of its blocks, not by its name, so a renamed or
 * copied segment is sorted by its positions. The cursor has the number of records that were stored.
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
    uint64_t spill;    /* the random number of this spill; 0 if there are no blocks */
    uint64_t position; /* all records below it are acknowledged, evicted or lost */
    uint64_t read;     /* blocks from this position on were not read */
    uint64_t lost;     /* missing records that no gap between positions shows */
    uint64_t strange;  /* files that are named like segments and belong to another spill */
};

/*
 * Fills two empty tables: `segments` with the segments that have waiting records, and `kept` with
 * the kept segments. `state` is the cursor, or NULL if there is none. `label` is the sink's label
 * (spill.h).
 *
 * A torn end of a segment is cut off. A segment without a whole block is removed if it is empty or
 * torn, and otherwise renamed to ".bad", as is an unreadable segment. Files of another spill,
 * other files and copies of a segment stay as they are, with a warning. Returns 0, or -1 with
 * `error` filled if the folder cannot be read, a file cannot be renamed, or memory is short.
 */
int recovery_run(struct segments *segments, struct kept *kept, const struct cursor_state *state,
                 const char *label, struct recovered *recovered, struct error *error);

#endif
