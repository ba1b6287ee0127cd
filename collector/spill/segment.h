/*
 * Segments: files that hold blocks, one after the other, and their names.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SEGMENT_H
#define SLUICE_COLLECTOR_SPILL_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/data_file.h"
#include "collector/spill/block_head.h"

/* A segment that is on disk. */
struct segment {
    char name[64];  /* of its file, in the folder */
    uint64_t first; /* position of its first record */
    uint64_t size;  /* bytes, as far as they are looked at */
    bool damaged;   /* something in it was passed over */
    bool sealed;    /* nothing more is appended */
    bool gone;      /* its file was removed while the spill was open */
};

/* Room for a name in the folder, and its NUL: that of struct segment. */
#define SEGMENT_NAME_SIZE 64

/* Digits of a name: those of the largest number of 64 bits. */
#define SEGMENT_DIGITS 20

/* "00000000000000001200.seg", or ".bad" of one that was set aside. */
void segment_name(uint64_t first, const char *ending, char name[SEGMENT_NAME_SIZE]);

enum segment_named { SEGMENT_NAME_OTHER, SEGMENT_NAME_BEGINS, SEGMENT_NAME_IS };

/* Whether a name is such a one with that ending, or begins with one; *first is its number. */
enum segment_named segment_is_named(const char *name, const char *ending, uint64_t *first);

/* Whether a name has this ending and room in struct segment. */
bool segment_has_ending(const char *name, const char *ending);

/* A place to look for blocks in a segment. */
struct segment_walk {
    struct data_file file;
    uint64_t size;   /* where it ends */
    uint64_t spill;  /* the blocks of this one alone count; 0: those of any */
    uint64_t offset; /* where the next block is looked for */
    bool skipped;    /* bytes were passed over, set and never cleared here */
};

enum segment_found {
    SEGMENT_BLOCK,
    SEGMENT_END,
    SEGMENT_FAILED, /* the system cannot read, as `error` says; the offset is where */
};

/*
 * Finds the next whole block at the offset or after it; the offset becomes that of its head. Its
 * image is not looked at. `window` is memory to look in, SEGMENT_WINDOW_MIN bytes or more: what is
 * damaged is searched for a head in pieces of that size.
 */
enum segment_found segment_next(struct segment_walk *walk, uint8_t *window, size_t window_size,
                                struct block_head *head, struct error *error);

#define SEGMENT_WINDOW_MIN ((size_t)4096)

#endif
