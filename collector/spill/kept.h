/*
 * Kept segments: files of blocks that the sink with this spill cannot send, because their label
 * (spill.h) is not the sink's. The file name has the positions of the records,
 * "00000000000000001200-00000000000000001900.kept"; blocks below the first position are
 * acknowledged. When a sink with their label opens the spill, the blocks are read again, after the
 * waiting ones. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_KEPT_H
#define SLUICE_COLLECTOR_SPILL_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/segments.h"

struct kept_file {
    char name[SEGMENT_NAME_SIZE]; /* name of the file in the spill's folder */
    uint64_t first, end;          /* positions of the first record, and after the last one */
    uint64_t sent; /* blocks that begin below this position may have been sent before */
    uint64_t size; /* bytes of the file */
    bool fits;     /* the sink that has the spill can send the file's blocks */

    /* The progress of a return of the file's blocks to the spill (spill_return.c). */
    uint64_t offset;                  /* offset in the file at which the next call continues */
    struct segment_failures failures; /* numbers of failed reads of the file */
    bool damaged;                     /* records of the file were lost */
};

struct kept {
    struct kept_file *files; /* sorted by their first positions */
    size_t count, capacity;
    uint64_t sent; /* copied to `sent` of each file that is added */
};

#define KEPT_ENDING ".kept"

void kept_free(struct kept *kept);

/* Adds a file to the table. Returns false if memory is short. */
bool kept_add(struct kept *kept, const struct kept_file *file);

/* Changes the name of a file to that of its positions. If that fails, the file keeps its name. */
void kept_rename(struct kept_file *file, struct segments *segments);

/* Removes the file at this index from the table. */
void kept_remove(struct kept *kept, size_t index);

/* Puts a file back into the table that it was removed from. Returns its entry there. */
struct kept_file *kept_put_back(struct kept *kept, const struct kept_file *file);

/*
 * kept_records returns the number of records in files that fit or, without `fit`, do not fit.
 * kept_bytes returns the bytes of all files.
 */
uint64_t kept_records(const struct kept *kept, bool fit);
uint64_t kept_bytes(const struct kept *kept);

/* Returns the first file that fits, with its index, or NULL. */
const struct kept_file *kept_next(const struct kept *kept, size_t *index);

/*
 * Copies the label of the oldest file that does not fit and whose label can be read, or "" if there
 * is no such file.
 */
void kept_label(const struct kept *kept, struct segments *segments, uint64_t spill,
                char label[SPILL_LABEL_SIZE]);

/* Returns true if this is the name of a kept file, and fills `first` and `end`. */
bool kept_is_named(const char *name, struct kept_file *file);

/* Sets `fits` of all files for a sink with this label. */
void kept_match(struct kept *kept, struct segments *segments, uint64_t spill, const char *label);

/*
 * Moves segments from `segments` to `kept`, from the first one to the last one whose label does not
 * fit, so that the remaining segments fit. No segment may be open. On entry all records below
 * *position are acknowledged or lost; on return it is the first position in `segments`. Adds the
 * records that are missing between and after the kept segments to *lost. Returns 0, or -1 with
 * `error` filled if a file cannot be renamed.
 */
int kept_sort_out(struct kept *kept, struct segments *segments, uint64_t spill, const char *label,
                  uint64_t *position, uint64_t *lost, struct error *error);

#endif
