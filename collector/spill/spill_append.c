#include "collector/spill/spill.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"
#include "collector/spill/spill_state.h"

static enum spill_stored append_failed(struct spill *spill, enum data_file_result result,
                                       const struct error *why, struct error *error)
{
    error_set(error, EXIT_CODE_IO, "spill %s: %s", spill->segments.folder, why->text);
    return result == DATA_FILE_FULL ? SPILL_FULL : SPILL_FAILED;
}

/*
 * Opens an existing file for a new segment if it is empty: an earlier write to it failed, and the
 * file could not be removed.
 */
static bool take_empty(const char *path, struct data_file *file)
{
    uint64_t size;
    if (data_file_open(path, file, NULL) != DATA_FILE_DONE)
        return false;
    if (data_file_size(*file, &size, NULL) && size == 0)
        return true;
    data_file_close(*file);
    return false;
}

/* The number of positions that are tried as names, because other files may have the first ones. */
#define NAMES 16

static enum data_file_result make_file(struct spill *spill, char name[SEGMENT_NAME_SIZE],
                                       struct error *error)
{
    struct segments *segments = &spill->segments;
    struct data_file *file = &spill->tail.file;
    enum data_file_result result = DATA_FILE_TAKEN;
    for (uint64_t i = 0; i < NAMES && result == DATA_FILE_TAKEN; i++) {
        segment_name(segments->end + i, SEGMENT_ENDING, name);
        result = data_file_make(segments_path(segments, name), file, error);
        if (result == DATA_FILE_TAKEN && take_empty(segments_path(segments, name), file))
            result = DATA_FILE_DONE;
    }
    if (result == DATA_FILE_TAKEN)
        error_set(error, EXIT_CODE_IO, "cannot create %s: the name is taken",
                  segments_path(segments, name));
    return result;
}

static enum data_file_result begin_segment(struct spill *spill, struct error *error)
{
    struct segments *segments = &spill->segments;
    char name[SEGMENT_NAME_SIZE];
    if (segments->count == segments->capacity) {
        error_set(error, EXIT_CODE_IO, "it has too many segments");
        return DATA_FILE_FULL;
    }
    enum data_file_result result = make_file(spill, name, error);
    if (result != DATA_FILE_DONE)
        return result;
    left_block_note_segment(&spill->left, name);
    segments_push(segments, name, segments->end, 0);
    spill->tail = (struct tail){
        .file = spill->tail.file, .is_open = true, .name_unsynced = spill_may_sync(spill)};
    return result;
}

/*
 * Cuts off the bytes of a failed write. Then ends the segment, unless the write only lacked room
 * and the segment has other blocks. Returns true if the bytes are no longer on disk.
 */
static bool take_back(struct spill *spill, enum data_file_result result)
{
    struct segments *segments = &spill->segments;
    struct segment *last = segments_last(segments);
    bool gone = data_file_cut(spill->tail.file, last->size, NULL);
    if (last->size != 0 && result == DATA_FILE_FULL)
        return gone;
    spill_seal(spill, NULL);
    /* An empty file is removed, because the next segment has its name. */
    if (last->size == 0) {
        uint64_t number = segments->removed + segments->count - 1;
        char name[SEGMENT_NAME_SIZE];
        memcpy(name, last->name, sizeof name);
        reader_leave(&spill->reader, number);
        segments_pop(segments);
        gone = segments_discard(segments, name) || gone;
    }
    return gone;
}

static enum data_file_result append_block(struct spill *spill, const struct block_head *head,
                                          const char *label, const struct text *pieces,
                                          size_t count, struct error *error)
{
    _Static_assert(2 + SPILL_PIECES_MAX <= DATA_FILE_PIECES_MAX, "a write takes them all");
    RULE(spill->tail.is_open && head->position == spill->segments.end,
         "a block is appended to the open segment, at its end");
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct text all[2 + SPILL_PIECES_MAX];
    const struct segment *last = segments_last(&spill->segments);
    struct left_block block = {
        .number = head->number,
        .offset = last->size,
        .end = block_head_end(head),
    };
    memcpy(block.segment, last->name, sizeof block.segment);
    block_head_write(head, bytes);
    all[0] = (struct text){(const char *)bytes, sizeof bytes};
    all[1] = (struct text){label, head->label_size};
    memcpy(all + 2, pieces, count * sizeof *pieces);
    enum data_file_result result =
        data_file_write(spill->tail.file, last->size, all, 2 + count, error);
    if (result != DATA_FILE_DONE) {
        take_back(spill, result); /* if a part stays, it does no harm, because it is not a whole
                                   * block */
        return result;
    }
    spill->tail.unsynced = true;
    if (spill->settings.sync != SPILL_SYNC_ALWAYS || spill_sync_blocks(spill, error))
        return DATA_FILE_DONE;
    block.is_there = !take_back(spill, DATA_FILE_FAILED);
    if (block.is_there)
        spill->left = block;
    return DATA_FILE_FAILED;
}

enum spill_stored spill_store(struct spill *spill, struct block_head *head, const char *label,
                              const struct text *pieces, size_t count, struct error *error)
{
    struct segments *segments = &spill->segments;
    struct error why;
    uint64_t whole = block_head_whole(head);
    spill_check_presence(spill, true);
    if (spill->locked_out) {
        error_set(error, EXIT_CODE_IO, "spill %s: another sink or program has it open",
                  segments->folder);
        return SPILL_FAILED;
    }
    head->spill = spill->id;
    head->position = segments->end;
    left_block_take_back(&spill->left, segments);
    if (segments->bytes + kept_bytes(&spill->kept) + whole > spill->settings.size) {
        error_set(error, EXIT_CODE_IO, "spill %s: spill_size= is reached", segments->folder);
        return SPILL_FULL;
    }
    if (!disk_room_has(&spill->room, &spill->settings.reserve, segments->folder, &why))
        return append_failed(spill, DATA_FILE_FULL, &why, error);
    const struct segment *last = segments_last(segments);
    if (spill->tail.is_open &&
        (last->sealed || (last->size != 0 && last->size + whole > spill->settings.segment_size)))
        spill_seal(spill, NULL);
    if (!spill->tail.is_open) {
        enum data_file_result result = begin_segment(spill, &why);
        if (result != DATA_FILE_DONE)
            return append_failed(spill, result, &why, error);
    }
    enum data_file_result result = append_block(spill, head, label, pieces, count, &why);
    if (result != DATA_FILE_DONE)
        return append_failed(spill, result, &why, error);
    spill->left.is_there = false; /* the new block has replaced it */
    segments_last(segments)->size += whole;
    segments->bytes += whole;
    segments->end += head->count;
    return SPILL_STORED;
}

enum spill_stored spill_append(struct spill *spill, const struct spill_block *block,
                               const struct text *pieces, size_t count, struct error *error)
{
    struct block_head head = {
        .epoch = spill->epoch,
        .number = block->number,
        .count = block->count,
        .layout = block->layout,
        .label_size = spill->label_size,
        .label_checksum = spill->label_checksum,
    };
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += pieces[i].size;
        head.checksum = crc32c(head.checksum, pieces[i].data, pieces[i].size);
    }
    RULE(count <= SPILL_PIECES_MAX && size != 0 && size <= spill->settings.image_size,
         "an image is of the size that was agreed on");
    RULE(block->count != 0, "a block has records");
    head.size = (uint32_t)size;
    enum spill_stored stored = spill_store(spill, &head, spill->label, pieces, count, error);
    if (stored == SPILL_STORED)
        spill->appended += block->count;
    return stored;
}

bool spill_give_up(struct spill *spill, uint64_t number)
{
    if (spill->left.number != number || left_block_take_back(&spill->left, &spill->segments))
        return false;
    spill->left.is_there = false; /* the next opening handles the block */
    return true;
}
