#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/spill/spill_state.h"

/* The block that is being returned from a kept segment to the spill. */
struct returned {
    char label[SPILL_LABEL_SIZE]; /* of the block that was read last */
    uint8_t *image;               /* its image, with room for `room` bytes */
    size_t room;
    uint64_t position; /* all blocks of the file below this position are stored or lost */
    uint64_t stored;   /* records that were stored */
};

/* Makes room for the image, which can be larger than the images of the present configuration. */
static bool make_room(struct returned *block, size_t size, struct error *error)
{
    if (size <= block->room)
        return true;
    uint8_t *larger = realloc(block->image, size);
    if (larger == NULL) {
        error_no_memory(error);
        return false;
    }
    block->image = larger;
    block->room = size;
    return true;
}

enum result {
    RETURNED,   /* all blocks of the file are stored or lost */
    NOT_STORED, /* a block cannot be stored now; newer records need not wait for it */
    NOT_READ,   /* a part cannot be read now, as `error` says */
};

/*
 * Stores a block that was read. If it begins below `sent`, notes that it may have been sent,
 * because its new position does not show that.
 */
static bool store_block(struct spill *spill, struct block_head *head, uint64_t sent,
                        const struct returned *block)
{
    const struct text image = {(const char *)block->image, head->size};
    bool may_be_sent = head->position < sent;
    if (spill_store(spill, head, block->label, &image, 1, NULL) != SPILL_STORED)
        return false;
    if (may_be_sent)
        spill->again = spill->segments.end;
    return true;
}

/* Appends a block of the file. block->position is then where the file's remaining blocks begin. */
static enum result return_block(struct spill *spill, struct segment_walk *walk,
                                struct block_head *head, struct kept_file *file,
                                struct returned *block, struct error *error)
{
    uint64_t end = block_head_end(head);
    if (!make_room(block, head->size, error))
        return NOT_STORED;
    enum segment_part part =
        segment_read_block(walk, head, block->label, block->image, block->room, error);
    if (part == SEGMENT_PART_FAILED)
        return NOT_READ;
    if (part != SEGMENT_PART_SOUND)
        return RETURNED;
    block->position = head->position;
    if (!store_block(spill, head, file->sent, block))
        return NOT_STORED;
    block->stored += head->count;
    block->position = end;
    return RETURNED;
}

/*
 * Appends to the spill all undamaged blocks of the file that no earlier call has appended. If the
 * result is not RETURNED, the next call continues at byte file->offset, and block->position is the
 * position of the first record that this file still has to return.
 */
static enum result store_blocks(struct spill *spill, struct segment_walk *walk,
                                struct kept_file *file, struct returned *block, struct error *error)
{
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    for (;;) {
        enum segment_found found = segment_next(walk, window, sizeof window, &head, error);
        file->offset = walk->offset;
        if (found == SEGMENT_END)
            return RETURNED;
        if (found == SEGMENT_FAILED)
            return NOT_READ;
        enum result result = RETURNED;
        struct block_head stored = head;
        if (head.position >= block->position)
            result = return_block(spill, walk, &stored, file, block, error);
        if (result != RETURNED)
            return result;
        segment_pass(walk, &head);
    }
}

/*
 * Notes that the file's blocks below `position` are stored or lost. The other blocks of the file
 * stay kept.
 */
static void note_returned(struct spill *spill, struct kept_file *file, uint64_t position,
                          uint64_t stored)
{
    uint64_t lost = position - file->first - stored;
    spill->reader.lost += lost;
    file->damaged |= lost != 0;
    if (lost != 0)
        log_line(LOG_WARNING,
                 "spill %s: %" PRIu64 " records of the kept segment %s are missing or damaged; "
                 "they are lost",
                 spill->segments.folder, lost, file->name);
    file->first = position;
}

/* Stores the blocks of the file, which is open, and closes it. */
static enum result return_open(struct spill *spill, struct data_file opened, struct kept_file *file,
                               struct returned *block, struct error *error)
{
    struct segment_walk walk = {.file = opened,
                                .spill = spill->id,
                                .offset = file->offset,
                                .waits = true,
                                .failures = file->failures};
    block->position = file->first;
    uint64_t size = spill->settings.size;
    enum result result = NOT_STORED;
    if (data_file_size(opened, &walk.size, error)) {
        spill->settings.size = UINT64_MAX; /* no limit of the spill's size, because the file already
                                            * counts towards it */
        result = store_blocks(spill, &walk, file, block, error);
        spill->settings.size = size;
    }
    file->failures = walk.failures;
    data_file_close(opened);
    if (block->position >= file->end)
        result = RETURNED;
    note_returned(spill, file, result == RETURNED ? file->end : block->position, block->stored);
    return result;
}

/* Returns a file's blocks to the spill. The file must not be in the table. */
static enum result return_blocks(struct spill *spill, struct kept_file *file,
                                 struct returned *block, struct error *error)
{
    struct data_file opened;
    switch (data_file_open(segments_path(&spill->segments, file->name), &opened, NULL)) {
    case DATA_FILE_DONE:
        return return_open(spill, opened, file, block, error);
    case DATA_FILE_MISSING:
        note_returned(spill, file, file->end, 0);
        return RETURNED;
    default:
        return NOT_STORED;
    }
}

/*
 * Returns the blocks of the file at this index. Removes it, or sets it aside if it is damaged,
 * unless blocks of it remain. The file is not in the table while its blocks are stored, because
 * that may remove entries whose files are gone.
 */
static enum result return_file(struct spill *spill, size_t index, struct returned *block,
                               struct error *error)
{
    struct segments *segments = &spill->segments;
    struct kept_file file = spill->kept.files[index];
    const uint64_t first = file.first;
    kept_remove(&spill->kept, index);
    enum result result = return_blocks(spill, &file, block, error);
    struct kept_file *left = result == RETURNED ? NULL : kept_put_back(&spill->kept, &file);
    if (left != NULL && file.first == first)
        return result;
    uint64_t read = spill->written.read;
    /* If the program is killed before it removes or renames the file, blocks are sent twice. */
    bool written = spill_write_cursor(spill, spill_completed(spill),
                                      read > spill->again ? read : spill->again, NULL);
    if (left != NULL && written)
        kept_rename(left, segments);
    else if (left == NULL && file.damaged)
        segments_set_aside(segments, file.name, first);
    else if (left == NULL)
        folder_remove_file(segments_path(segments, file.name));
    return result;
}

enum spill_found spill_return(struct spill *spill, struct error *error)
{
    struct returned block = {0};
    size_t index;
    enum result result = RETURNED;
    while (block.stored == 0 && result == RETURNED && kept_next(&spill->kept, &index) != NULL)
        result = return_file(spill, index, &block, error);
    free(block.image);
    if (block.stored != 0)
        return SPILL_FOUND;
    return result == NOT_READ ? SPILL_FOUND_FAILED : SPILL_FOUND_NONE;
}
