#include "collector/spill/left_block.h"

bool left_block_take_back(struct left_block *left, struct segments *segments)
{
    /* A segment that would be empty is removed, or empty where that fails. */
    bool gone = !left->is_there || (left->offset == 0 && segments_discard(segments, left->first)) ||
                segments_cut_file(segments, left->first, left->offset);
    left->is_there = !gone;
    return gone;
}

void left_block_note_segment(struct left_block *left, uint64_t first)
{
    if (left->first == first)
        left->is_there = false;
}
