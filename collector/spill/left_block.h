/*
 * A block whose append failed, and that is on disk all the same: it was written, could not be
 * synced, and could not be taken back. The next opening would find it. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H
#define SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct left_block {
    bool is_there;
    uint64_t number; /* of its first record: the caller's */
    char segment[SEGMENT_NAME_SIZE]; /* its file, which nobody writes any more, */
    uint64_t offset; /* and where it begins in the file; 0: nothing else is there */
    uint64_t end;    /* the position after it */
};

/* Tries to take it off the disk. Returns whether it is not there any more. */
bool left_block_take_back(struct left_block *left, struct segments *segments);

/* A segment begins in a file that was not there. */
void left_block_note_segment(struct left_block *left, const char *name);

#endif
