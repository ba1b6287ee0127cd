/*
 * Kept segments: files of blocks that the sink which has the spill cannot send, because their label
 * (spill.h) is another one. They are named by the positions that they hold,
 * "00000000000000001200-00000000000000001900.kept"; blocks below the first one are done with. A
 * later opening whose label fits takes their blocks back, after those that wait. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_KEPT_H
#define SLUICE_COLLECTOR_SPILL_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/segments.h"

struct kept_file {
    char name[SEGMENT_NAME_SIZE]; /* in the folder */
    uint64_t first, end;          /* positions */
    uint64_t size;                /* bytes of the file */
    bool fits;                    /* the sink that has the spill can send its blocks */
};

struct kept {
    struct kept_file *files; /* by their first positions */
    size_t count, capacity;
};

#define KEPT_ENDING ".kept"

void kept_free(struct kept *kept);

/* Adds a file. Returns false where memory is short. */
bool kept_add(struct kept *kept, const struct kept_file *file);

/* Takes the file at this place off the table. */
void kept_remove(struct kept *kept, size_t index);

/* Records of those that fit, or of those that do not; and bytes of all. */
uint64_t kept_records(const struct kept *kept, bool fit);
uint64_t kept_bytes(const struct kept *kept);

/* The first segment that fits, or NULL. *place is its place. */
const struct kept_file *kept_next(const struct kept *kept, size_t *index);

/* The label of the oldest segment that does not fit; "": no such segment, or not readable. */
void kept_label(const struct kept *kept, struct segments *segments, uint64_t spill,
                char label[SPILL_LABEL_SIZE]);

/* Whether this is the name of such a file, of which first and end are filled. */
bool kept_is_named(const char *name, struct kept_file *file);

/* Looks at the labels again: `label` is that of the sink which has the spill from now on. */
void kept_match(struct kept *kept, struct segments *segments, uint64_t spill, const char *label);

/*
 * Keeps the segments up to the last one whose label does not fit; those that follow it fit. All of
 * them have *position and everything below it done with, which becomes the first position that
 * is still in the table. No segment may be open. *lost grows by records that are missing between
 * and after those that are kept. Returns 0, or -1 with `error` filled: a file cannot be renamed.
 */
int kept_sort_out(struct kept *kept, struct segments *segments, uint64_t spill, const char *label,
                  uint64_t *position, uint64_t *lost, struct error *error);

#endif
