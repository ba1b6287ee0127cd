#include "collector/spill/left_block.h"

#include <string.h>

bool left_block_take_back(struct left_block *left, struct segments *segments)
{
    /* Removes the block's file if it has no other block. If that fails, cuts the block off. */
    bool gone = !left->is_there ||
                (left->offset == 0 && segments_discard(segments, left->segment)) ||
                segments_cut_file(segments, left->segment, left->offset);
    left->is_there = !gone;
    return gone;
}

void left_block_note_segment(struct left_block *left, const char *name)
{
    if (strcmp(left->segment, name) == 0)
        left->is_there = false;
}
