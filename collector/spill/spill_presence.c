#include <inttypes.h>

#include "collector/platform/file_system.h"
#include "collector/spill/spill_state.h"

/*
 * Returns true if the file begins with a block of another spill, so that this spill did not write
 * it.
 */
static bool is_foreign_segment(const struct spill *spill, struct data_file file)
{
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct block_head head;
    size_t got;
    return data_file_read(file, 0, bytes, sizeof bytes, &got, NULL) && got == sizeof bytes &&
           block_head_read(bytes, &head) && head.spill != spill->id;
}

/* Returns false if another program has removed, cut or replaced the segment's file. */
static bool is_there(struct spill *spill, const struct segment *segment)
{
    struct data_file file;
    uint64_t size;
    enum data_file_result opened =
        data_file_open(segments_path(&spill->segments, segment->name), &file, NULL);
    if (opened != DATA_FILE_DONE)
        return opened != DATA_FILE_MISSING; /* a file that cannot be checked counts as present */
    bool there = (!data_file_size(file, &size, NULL) || size >= segment->size) &&
                 !is_foreign_segment(spill, file);
    data_file_close(file);
    return there;
}

/*
 * If the folder or its lock was removed, renamed or replaced, takes the lock again. If that fails,
 * keeps the old lock.
 */
static void check_lock(struct spill *spill)
{
    struct part_file *old = spill->lock;
    struct error error = {.code = EXIT_CODE_OK};
    spill->locked_out = false;
    if (part_file_is_there(old))
        return;
    spill->lock = NULL;
    if (spill_take_lock(spill, &error) == 0) {
        part_file_close(old);
        cursor_close(&spill->cursor); /* the cursor is opened again, because the folder may have
                                       * another one now */
        spill->has_cursor = false;
        log_line(LOG_WARNING, "spill %s: the folder or its lock was removed and is created again",
                 spill->segments.folder);
        return;
    }
    part_file_close(spill->lock);
    spill->lock = old;
    spill->locked_out = error.code == EXIT_CODE_CONFIG;
}

static void check_cursor(struct spill *spill)
{
    if (!spill->cursor.is_open || folder_has(segments_path(&spill->segments, "ack")))
        return;
    cursor_close(&spill->cursor);
    spill->has_cursor = false;
}

static uint64_t unread_of(const struct spill *spill, uint64_t number)
{
    uint64_t first = segments_at(&spill->segments, number)->first;
    uint64_t end = segments_end_of(&spill->segments, number);
    uint64_t position = spill->reader.position > first ? spill->reader.position : first;
    return end > position ? end - position : 0;
}

/*
 * Notes if another program has removed the segment's file. Returns the number of unread records in
 * it, or 0 if it was not removed now.
 */
static uint64_t check_segment(struct spill *spill, uint64_t number)
{
    struct segments *segments = &spill->segments;
    struct segment *segment = segments_at(segments, number);
    if (segment->gone || segment->size == 0 || is_there(spill, segment))
        return 0;
    segment->gone = segment->sealed = true;
    if (spill->tail.is_open && segment == segments_last(segments)) {
        data_file_close(spill->tail.file);
        spill->tail = (struct tail){0};
    }
    reader_leave(&spill->reader, number);
    return unread_of(spill, number);
}

static uint64_t check_kept(struct spill *spill)
{
    struct kept *kept = &spill->kept;
    uint64_t lost = 0;
    for (size_t i = kept->count; i-- > 0;) {
        const struct kept_file *file = &kept->files[i];
        if (folder_has(segments_path(&spill->segments, file->name)))
            continue;
        lost += file->end - file->first;
        kept_remove(kept, i);
    }
    spill->reader.lost += lost;
    return lost;
}

void spill_check_presence(struct spill *spill, bool tail_only)
{
    struct segments *segments = &spill->segments;
    const struct segment *last = segments_last(segments);
    check_lock(spill);
    if (tail_only && (!spill->tail.is_open || last->size == 0 || is_there(spill, last)))
        return;
    check_cursor(spill);
    uint64_t lost = check_kept(spill);
    for (uint64_t i = 0; i < segments->count; i++)
        lost += check_segment(spill, segments->removed + i);
    if (lost != 0)
        log_line(LOG_WARNING,
                 "spill %s: segments were removed or cut while the spill was open; their %" PRIu64
                 " records are lost; later blocks are stored in new segments",
                 segments->folder, lost);
}

uint64_t spill_gone(const struct spill *spill)
{
    const struct segments *segments = &spill->segments;
    uint64_t gone = 0;
    for (uint64_t i = segments->removed; i < segments->removed + segments->count; i++)
        if (segments_at(segments, i)->gone)
            gone += unread_of(spill, i) + reader_missing(&spill->reader,
                                                         segments_at(segments, i)->first,
                                                         segments_end_of(segments, i));
    return gone;
}
