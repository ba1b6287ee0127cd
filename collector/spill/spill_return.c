#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"
#include "collector/spill/spill_state.h"

/* A block of a kept segment, with room for the spill's largest image. */
struct returned {
    char label[SPILL_LABEL_SIZE];
    uint8_t *image;
    size_t room;
};

static bool read_block(const struct segment_walk *walk, const struct block_head *head,
                       struct returned *block)
{
    size_t label, image;
    return head->size <= block->room &&
           data_file_read(walk->file, walk->offset + SPILL_HEAD_SIZE, block->label,
                          head->label_size, &label, NULL) &&
           data_file_read(walk->file, walk->offset + block_head_image(head), block->image,
                          head->size, &image, NULL) &&
           label == head->label_size && image == head->size &&
           crc32c(0, block->label, label) == head->label_checksum &&
           crc32c(0, block->image, image) == head->checksum;
}

/*
 * Stores all undamaged, waiting blocks of the file. If a block begins below `sent`, notes that it
 * may have been sent, because its new position does not show that. Returns false if a block cannot
 * be stored now; *position is then where that block begins.
 */
static bool store_blocks(struct spill *spill, struct segment_walk *walk, uint64_t sent,
                         struct returned *block, uint64_t *position, uint64_t *stored)
{
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    while (segment_next(walk, window, sizeof window, &head, NULL) == SEGMENT_BLOCK) {
        uint64_t offset = walk->offset;
        uint64_t end = block_head_end(&head);
        bool wanted = head.position >= *position && read_block(walk, &head, block);
        walk->offset = offset + block_head_whole(&head);
        if (!wanted)
            continue;
        const struct text image = {(const char *)block->image, head.size};
        *position = head.position;
        if (spill_store(spill, &head, block->label, &image, 1, NULL) != SPILL_STORED)
            return false;
        if (*position < sent)
            spill->again = spill->segments.end;
        *stored += head.count;
        *position = end;
    }
    return true;
}

/* Called when the file's blocks below this position are stored or lost; the others stay kept. */
static void note_returned(struct spill *spill, size_t index, uint64_t position, uint64_t stored)
{
    struct kept_file *file = &spill->kept.files[index];
    uint64_t lost = position - file->first - stored;
    spill->reader.lost += lost;
    if (lost != 0)
        log_line(LOG_WARNING,
                 "spill %s: %" PRIu64 " records of the kept segment %s are missing or damaged; "
                 "they are lost",
                 spill->segments.folder, lost, file->name);
    file->first = position;
}

static bool return_file(struct spill *spill, size_t index, struct returned *block)
{
    struct segments *segments = &spill->segments;
    struct kept_file file = spill->kept.files[index];
    struct segment_walk walk = {.spill = spill->id};
    uint64_t position = file.first;
    uint64_t stored = 0;
    uint64_t size = spill->settings.size;
    enum data_file_result opened =
        data_file_open(segments_path(segments, file.name), &walk.file, NULL);
    if (opened == DATA_FILE_FAILED)
        return false;
    bool done = opened == DATA_FILE_MISSING;
    if (opened == DATA_FILE_DONE) {
        if (data_file_size(walk.file, &walk.size, NULL)) {
            spill->settings.size = UINT64_MAX; /* the file counts towards the size already */
            done = store_blocks(spill, &walk, file.sent, block, &position, &stored);
            spill->settings.size = size;
        }
        data_file_close(walk.file);
    }
    note_returned(spill, index, done ? file.end : position, stored);
    bool damaged = file.end - file.first != stored;
    if (done)
        kept_remove(&spill->kept, index);
    uint64_t read = spill->written.read;
    /* If the program is killed before it removes the file, the blocks are sent twice. */
    spill_write_cursor(spill, spill_completed(spill), read > spill->again ? read : spill->again,
                       NULL);
    if (done && damaged)
        segments_set_aside(segments, file.name, file.first);
    else if (done)
        folder_remove_file(segments_path(segments, file.name));
    return stored != 0;
}

bool spill_return(struct spill *spill)
{
    struct returned block = {.room = spill->settings.image_size};
    size_t index;
    if (kept_next(&spill->kept, &index) == NULL || (block.image = malloc(block.room)) == NULL)
        return false;
    bool stored = false;
    while (!stored && kept_next(&spill->kept, &index) != NULL) {
        size_t before = spill->kept.count;
        stored = return_file(spill, index, &block);
        if (!stored && spill->kept.count == before)
            break; /* the next read tries again */
    }
    free(block.image);
    return stored;
}
