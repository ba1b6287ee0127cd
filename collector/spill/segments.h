/*
 * The table of a spill's segments, oldest first, and the operations on their files. The segments
 * are numbered; 0 is the first that was ever in the table. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SEGMENTS_H
#define SLUICE_COLLECTOR_SPILL_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/segment.h"

/* The number of damaged segments that are kept. Each can be as large as any segment. */
#define SEGMENTS_BAD_KEPT 2

struct segments {
    char *folder;   /* path of the folder, as the caller gave it */
    char *paths[2]; /* buffers for the paths of two files in the folder */
    size_t prefix;  /* bytes of each path before the file's name */
    unsigned turn;  /* index of the buffer that is used next */

    struct segment *ring;
    size_t capacity;
    size_t start;
    size_t count;
    uint64_t removed; /* number of the first segment */

    uint64_t end;   /* position after the last record of all segments */
    uint64_t bytes; /* size of all files in bytes */

    bool looks_only; /* only the table is changed, no file (inspection.h) */

    uint64_t bad[SEGMENTS_BAD_KEPT]; /* first positions of the segments that were set aside */
    size_t bad_count;
};

/* Begins an empty table. Returns 0, or -1 with `error` filled; call segments_free in both cases. */
int segments_init(struct segments *segments, const char *folder, struct error *error);
void segments_free(struct segments *segments);

/*
 * Makes room for this number of segments, or for the present ones. Returns 0, or -1 with `error`
 * filled.
 */
int segments_reserve(struct segments *segments, size_t capacity, struct error *error);

/* Returns the path of a name in the folder. The path is valid until the next call but one. */
const char *segments_path(struct segments *segments, const char *name);

/* Returns the segment with this number, which must be in the table. */
struct segment *segments_at(const struct segments *segments, uint64_t number);

/* Returns the last segment, or NULL. */
struct segment *segments_last(const struct segments *segments);

/* Returns the position after the last record of a segment, where the next one begins. */
uint64_t segments_end_of(const struct segments *segments, uint64_t number);

/* Adds a segment after the last one. Returns NULL if the table is full. */
struct segment *segments_push(struct segments *segments, const char *name, uint64_t first,
                              uint64_t size);

/* Removes the last segment from the table. Its file stays. */
void segments_pop(struct segments *segments);

/*
 * Removes the first segment and its file, which must not be open. A damaged file is set aside
 * instead. Returns false on failure.
 */
bool segments_remove_first(struct segments *segments);

/* Removes the first segment from the table. Its file stays. */
void segments_forget_first(struct segments *segments);

/*
 * Renames a damaged file to this position with the ending ".bad". Removes the oldest such file if
 * there are more than SEGMENTS_BAD_KEPT. Returns false if the file keeps its name.
 */
bool segments_set_aside(struct segments *segments, const char *file, uint64_t position);

/* Cuts a segment to its first `size` bytes. Its file must not be open. */
void segments_cut(struct segments *segments, struct segment *segment, uint64_t size);

/*
 * Cuts a file, which must not be open, to its first `size` bytes. Returns true if no other bytes
 * are left, or if there is no such file.
 */
bool segments_cut_file(struct segments *segments, const char *name, uint64_t size);

/* Removes the file of a segment that is not in the table. Returns false if it still exists. */
bool segments_discard(struct segments *segments, const char *name);

/* Notes a file with the ending ".bad". Removes the oldest one if there are too many. */
void segments_note_bad(struct segments *segments, uint64_t first);

#define SEGMENT_ENDING     ".seg"
#define SEGMENT_BAD_ENDING ".bad"

#endif
