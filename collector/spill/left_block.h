/*
 * A block whose append failed and that is still on disk: it was written, but could be neither
 * synced nor removed. The next opening would find it. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H
#define SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct left_block {
    bool is_there;
    uint64_t number;                 /* the caller's number of its first record */
    char segment[SEGMENT_NAME_SIZE]; /* the name of its file, to which no other block is appended */
    uint64_t offset; /* bytes before the block in its file; 0 if it is the only block */
    uint64_t end;    /* the position after the block */
};

/* Tries to remove the block from the disk. Returns true if the block is gone. */
bool left_block_take_back(struct left_block *left, struct segments *segments);

/*
 * Called after a segment was begun in the file `name`. If the block's file had this name, the block
 * is gone, because the file did not exist before or was empty.
 */
void left_block_note_segment(struct left_block *left, const char *name);

#endif
