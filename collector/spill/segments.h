/*
 * The segments of a spill, oldest first: which there are, where each ends, and their files' names.
 * Each has a number that it keeps: 0 is the first that was ever in the table. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SEGMENTS_H
#define SLUICE_COLLECTOR_SPILL_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/segment.h"

/* Segments that were set aside, at most: each is as large as any other. */
#define SEGMENTS_BAD_KEPT 2

struct segments {
    char *folder;   /* as it was given */
    char *paths[2]; /* room for the paths of two files in it */
    size_t prefix;  /* bytes of a path that stay */
    unsigned turn;  /* which of the two is the next */

    struct segment *ring;
    size_t capacity;
    size_t start;
    size_t count;
    uint64_t removed; /* number of the first one */

    uint64_t end;   /* position after the last record of all */
    uint64_t bytes; /* of all files */

    bool looks_only; /* files are neither changed, removed nor renamed: the table alone changes */

    uint64_t bad[SEGMENTS_BAD_KEPT]; /* those that were set aside, by their first positions */
    size_t bad_count;
};

/* Begins an empty table. Returns 0, or -1 with `error` filled. segments_free ends it, also then. */
int segments_init(struct segments *segments, const char *folder, struct error *error);
void segments_free(struct segments *segments);

/* Makes room for so many segments, or for those that are there. Returns 0, or -1 with `error`. */
int segments_reserve(struct segments *segments, size_t capacity, struct error *error);

/* The path of a name in the folder: it stays until the next call but one. */
const char *segments_path(struct segments *segments, const char *name);

/* The segment of a number, which is from `removed` on and below removed + count. */
struct segment *segments_at(const struct segments *segments, uint64_t number);

/* The last one; NULL: there is none. */
struct segment *segments_last(const struct segments *segments);

/* The position after the last record of a segment: where the next one begins. */
uint64_t segments_end_of(const struct segments *segments, uint64_t number);

/* Adds one after the last; returns NULL where the table is full. */
struct segment *segments_push(struct segments *segments, const char *name, uint64_t first,
                              uint64_t size);

/* Takes the last one off the table; its file is not touched. */
void segments_pop(struct segments *segments);

/*
 * Removes the file of the first one, or sets it aside where it is damaged, and takes it off the
 * table. Nobody may have the file open. Returns false where that cannot be done.
 */
bool segments_remove_first(struct segments *segments);

/* The same without touching its file. */
void segments_forget_first(struct segments *segments);

/* Gives a file the name of this position and the ending ".bad", and removes the oldest such file
 * where there are too many. Returns false where it keeps its name. */
bool segments_set_aside(struct segments *segments, const char *file, uint64_t position);

/* Takes what follows its first `size` bytes off a segment, whose file nobody has open. */
void segments_cut(struct segments *segments, struct segment *segment, uint64_t size);

/*
 * Makes a segment's file, which nobody has open, end after its first `size` bytes. Returns whether
 * nothing follows those: true also where there is no file.
 */
bool segments_cut_file(struct segments *segments, const char *name, uint64_t size);

/* Removes the file of a segment that is not in the table. Returns false where it is still there. */
bool segments_discard(struct segments *segments, const char *name);

/* A file with that ending is there. Removes the oldest where there are too many. */
void segments_note_bad(struct segments *segments, uint64_t first);

#define SEGMENT_ENDING     ".seg"
#define SEGMENT_BAD_ENDING ".bad"

#endif
