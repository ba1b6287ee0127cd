#include "collector/spill/left_block.h"

#include "collector/platform/data_file.h"
#include "collector/platform/folder.h"

static bool cut(const char *path, uint64_t size)
{
    struct data_file file;
    enum data_file_result result = data_file_open(path, &file, NULL);
    if (result != DATA_FILE_DONE)
        return result == DATA_FILE_MISSING;
    bool done = data_file_cut(file, size, NULL);
    data_file_close(file);
    return done;
}

bool left_block_take_back(struct left_block *left, struct segments *segments)
{
    if (left->is_there) {
        const char *path = segments_file(segments, left->first);
        /* A segment that would be empty is removed, or empty where that fails. */
        bool gone = (left->offset == 0 && folder_remove_file(path)) || cut(path, left->offset);
        left->is_there = !gone;
    }
    return !left->is_there;
}

void left_block_note_segment(struct left_block *left, uint64_t first)
{
    if (left->first == first)
        left->is_there = false;
}
