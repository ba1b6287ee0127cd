/*
 * A block whose append failed and that is still on disk: it was written, but could neither be
 * synced nor be removed. The next opening would find it. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H
#define SLUICE_COLLECTOR_SPILL_LEFT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct left_block {
    bool is_there;
    uint64_t number;                 /* the number of the block's first record, as the caller
                                        numbers records */
    char segment[SEGMENT_NAME_SIZE]; /* the name of the block's file, to which no more blocks are
                                        written */
    uint64_t offset; /* where the block begins in the file; 0: it is the only block there */
    uint64_t end;    /* the position after the block */
};

/* Tries to remove the block from the disk. Returns whether the block is gone. */
bool left_block_take_back(struct left_block *left, struct segments *segments);

/*
 * Called after a new segment's file of this name was created. If the block's file had this name,
 * the block is gone, because the new file did not exist before.
 */
void left_block_note_segment(struct left_block *left, const char *name);

#endif
