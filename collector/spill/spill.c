#include "collector/spill/spill.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "collector/spill/settings.h"
#include "collector/spill/spill_state.h"

/* If the label changes, moves the waiting blocks with the old label to kept segments. */
static int change_label(struct spill *spill, const char *label, struct error *error)
{
    struct reader *reader = &spill->reader;
    if (strcmp(spill->label, label == NULL ? "" : label) == 0)
        return 0;
    spill_seal(spill, NULL);
    spill->kept.sent = spill->again;
    kept_match(&spill->kept, &spill->segments, spill->id, label);
    if (kept_sort_out(&spill->kept, &spill->segments, spill->id, label, &reader->position,
                      &reader->lost, error) != 0)
        return -1;
    reader->number = spill->segments.removed;
    spill_write_cursor(spill, spill_completed(spill), spill->written.read, NULL);
    return 0;
}

int spill_change(struct spill *spill, const struct spill_settings *settings, struct error *error)
{
    struct spill_settings checked;
    if (spill_settings_complete(settings, &checked, error) != 0 ||
        segments_reserve(&spill->segments, spill_most_segments(&checked, spill->segments.count),
                         error) != 0)
        return -1;
    spill_rewind(spill);
    if (change_label(spill, settings->label, error) != 0)
        return -1;
    if (reader_resize(&spill->reader, settings->window, error) != 0)
        return -1;
    checked.folder = spill->segments.folder;
    spill->settings = checked;
    spill_set_label(spill, checked.label);
    return 0;
}

const char *spill_folder(const struct spill *spill)
{
    return spill->segments.folder;
}

uint64_t spill_epoch(const struct spill *spill)
{
    return spill->epoch;
}

/* --- removing --------------------------------------------------------------------------------- */

/*
 * Removes the first segment. Writes the cursor first, so that the next opening does not count the
 * records as missing. If that fails, the segment stays, unless the disk is full: then its removal
 * makes room.
 */
static bool remove_first(struct spill *spill, uint64_t position)
{
    struct segments *segments = &spill->segments;
    uint64_t read = spill->written.read;
    if (!spill_write_cursor(spill, position, read, NULL) && !spill->cursor.lacks_room)
        return false;
    RULE(segments_end_of(segments, segments->removed) <= reader_completed(&spill->reader),
         "a segment that is removed is complete");
    reader_leave(&spill->reader, segments->removed);
    return segments_remove_first(segments) && spill_write_cursor(spill, position, read, NULL);
}

/*
 * Removes segments whose blocks are all acknowledged. Keeps the last segment while blocks are
 * appended to it.
 */
static void remove_completed(struct spill *spill)
{
    struct segments *segments = &spill->segments;
    while (segments->count != 0 && segments_at(segments, segments->removed)->sealed) {
        uint64_t end = segments_end_of(segments, segments->removed);
        if (end > reader_completed(&spill->reader))
            break;
        if (!remove_first(spill, reader_completed(&spill->reader)))
            break;
    }
}

/*
 * Counts the evicted records from `position` to `end` that may have been sent: those below `sent`.
 */
static void count_evicted_sent(struct spill *spill, uint64_t position, uint64_t end, uint64_t sent)
{
    if (sent > end)
        sent = end;
    if (sent > position)
        spill->evicted_sent += sent - position;
}

/* Evicts the first kept segment. Kept segments are older than all others. */
static bool evict_kept(struct spill *spill, uint64_t *records, struct error *error)
{
    const struct kept_file *file = &spill->kept.files[0];
    if (!folder_remove_file(segments_path(&spill->segments, file->name))) {
        error_set(error, EXIT_CODE_IO, "cannot remove %s",
                  segments_path(&spill->segments, file->name));
        return false;
    }
    *records = file->end - file->first;
    spill->reader.evicted += *records;
    count_evicted_sent(spill, file->first, file->end, file->sent);
    kept_remove(&spill->kept, 0);
    spill_write_cursor(spill, spill_completed(spill), spill->written.read, NULL);
    return true;
}

bool spill_evict(struct spill *spill, uint64_t *records, struct error *error)
{
    struct segments *segments = &spill->segments;
    *records = 0;
    if (spill->kept.count != 0)
        return evict_kept(spill, records, error);
    if (segments->count == 0) {
        error_set(error, EXIT_CODE_IO, "spill %s: there is no segment to remove", segments->folder);
        return false;
    }
    if (segments->count == 1)
        spill_seal(spill, NULL);
    uint64_t end = segments_end_of(segments, segments->removed);
    bool gone = segments_at(segments, segments->removed)->gone;
    reader_leave(&spill->reader, segments->removed);
    if (!segments_remove_first(segments)) {
        error_set(error, EXIT_CODE_IO, "cannot remove %s",
                  segments_path(segments, segments_at(segments, segments->removed)->name));
        return false;
    }
    const uint64_t unread = spill->reader.position;
    *records = reader_evict(&spill->reader, end);
    if (gone) { /* another program had removed the file, so its records are lost, not evicted */
        spill->reader.evicted -= *records;
        spill->reader.lost += *records;
    } else {
        count_evicted_sent(spill, unread, end, spill->again);
    }
    spill_write_cursor(spill, spill_completed(spill), spill->written.read, NULL);
    return true;
}

/* --- blocks that may have been sent ----------------------------------------------------------- */

/*
 * If the cursor is synced, it is written this number of blocks ahead, so that most reads need no
 * write.
 */
#define READ_AHEAD 16

/*
 * Notes in the cursor that a block is read, before the block may be sent: after a kill, only the
 * cursor shows which blocks may have been sent. If the write fails it is tried again with the next
 * block.
 */
static void note_read(struct spill *spill, uint64_t end, uint32_t count)
{
    uint64_t ahead = spill_may_sync(spill) ? (uint64_t)READ_AHEAD * count : 0;
    if (end > spill->written.read)
        spill_write_cursor(spill, spill_completed(spill), end + ahead, NULL);
}

enum spill_stored spill_append_read(struct spill *spill, const struct spill_block *block,
                                    const struct text *pieces, size_t count, uint64_t *position,
                                    struct error *error)
{
    RULE(!spill_has_unread(spill), "blocks are read in their order");
    if (reader_room(&spill->reader) == 0) {
        error_set(error, EXIT_CODE_IO, "spill %s: too many blocks are not acknowledged",
                  spill->segments.folder);
        return SPILL_FULL;
    }
    /*
     * Records in the cursor that the block was read, before the block is on disk, because the
     * caller may have sent it already.
     */
    note_read(spill, spill->segments.end + block->count, block->count);
    /*
     * If a kill tears this block, it was never stored. The next opening sees that only if the
     * cursor has the present end.
     */
    if (spill->written.end != spill->segments.end)
        spill_write_cursor(spill, spill_completed(spill), spill->written.read, NULL);
    enum spill_stored stored = spill_append(spill, block, pieces, count, error);
    if (stored != SPILL_STORED)
        return stored;
    *position = spill->segments.end - block->count;
    RULE(*position == spill->reader.position, "only this block was appended");
    reader_pass(&spill->reader, spill->segments.end);
    note_read(spill, spill->segments.end, block->count);
    return SPILL_STORED;
}

bool spill_has_unread(const struct spill *spill)
{
    return spill->reader.position != spill->segments.end;
}

size_t spill_room(const struct spill *spill)
{
    return reader_room(&spill->reader);
}

bool spill_holds(const struct spill *spill, uint64_t position)
{
    return !reader_find(&spill->reader, position)->evicted;
}

void spill_kept_label(struct spill *spill, char label[SPILL_LABEL_SIZE])
{
    kept_label(&spill->kept, &spill->segments, spill->id, label);
}

bool spill_lacks(const struct spill *spill, uint64_t position)
{
    const struct segments *segments = &spill->segments;
    uint64_t end = reader_find(&spill->reader, position)->end;
    for (uint64_t i = 0; i < segments->count; i++)
        if (end <= segments_end_of(segments, segments->removed + i))
            return segments_at(segments, segments->removed + i)->gone;
    return false;
}

static void note_sent_to(struct spill *spill, uint64_t end)
{
    if (end > spill->sent)
        spill->sent = end;
}

void spill_note_sent(struct spill *spill, uint64_t position)
{
    note_sent_to(spill, reader_find(&spill->reader, position)->end);
}

/* --- reading ---------------------------------------------------------------------------------- */

enum spill_found spill_read(struct spill *spill, void *bytes, size_t size,
                            struct spill_block *block, struct error *error)
{
    struct block_head head;
    struct error why;
    enum spill_found found =
        reader_next(&spill->reader, &spill->segments, bytes, size, &head, &why);
    while (found == SPILL_FOUND_NONE && spill_room(spill) != 0) {
        found = spill_return(spill, &why);
        if (found != SPILL_FOUND)
            break;
        found = reader_next(&spill->reader, &spill->segments, bytes, size, &head, &why);
    }
    if (found == SPILL_FOUND_FAILED)
        error_set(error, EXIT_CODE_IO, "spill %s: %s", spill->segments.folder, why.text);
    if (found == SPILL_FOUND)
        note_read(spill, block_head_end(&head), head.count);
    if (found == SPILL_FOUND || found == SPILL_FOUND_TOO_LARGE)
        *block = (struct spill_block){.number = head.number,
                                      .count = head.count,
                                      .layout = head.layout,
                                      .position = head.position,
                                      .epoch = head.epoch,
                                      .size = head.size,
                                      .again = head.position < spill->again};
    return found;
}

void spill_acknowledge(struct spill *spill, uint64_t position)
{
    reader_acknowledge(&spill->reader, position);
    remove_completed(spill);
}

void spill_rewind(struct spill *spill)
{
    note_sent_to(spill, reader_acknowledged_end(&spill->reader));
    if (spill->sent > spill->again)
        spill->again = spill->sent;
    reader_rewind(&spill->reader, &spill->segments);
    RULE(spill_room(spill) == spill->reader.window, "after a rewind no block counts as read");
}

/* --- periodic work ---------------------------------------------------------------------------- */

static bool sync_is_due(const struct spill *spill)
{
    return spill->settings.sync == SPILL_SYNC_INTERVAL &&
           (spill->tail.unsynced || spill->tail.name_unsynced);
}

/* Returns true if the cursor's file is out of date, or a file or block must still be removed. */
static bool cursor_is_due(const struct spill *spill)
{
    const struct segments *segments = &spill->segments;
    return spill->written.position != spill_completed(spill) || !spill->has_cursor ||
           spill->written.end != segments->end || spill->left.is_there ||
           (segments->count != 0 &&
            segments_end_of(segments, segments->removed) <= reader_completed(&spill->reader));
}

int64_t spill_due(const struct spill *spill)
{
    int64_t due = INT64_MAX;
    if (sync_is_due(spill))
        due = spill->synced_ns + spill->settings.sync_interval_ns;
    if (cursor_is_due(spill) && spill->cursor_ns + spill->settings.cursor_interval_ns < due)
        due = spill->cursor_ns + spill->settings.cursor_interval_ns;
    return due;
}

/* Adds the folder to the reason of a failure. Returns `done`. */
static bool pass_error_on(const struct spill *spill, bool done, const struct error *why,
                          struct error *error)
{
    if (!done && why != NULL)
        error_set(error, why->code, "spill %s: %s", spill->segments.folder, why->text);
    return done;
}

bool spill_tick(struct spill *spill, int64_t now_ns, struct error *error)
{
    struct error why;
    bool done = true;
    if (sync_is_due(spill) && now_ns >= spill->synced_ns + spill->settings.sync_interval_ns) {
        spill->synced_ns = now_ns;
        done = pass_error_on(spill, spill_sync_blocks(spill, &why), &why, error);
    }
    if (!cursor_is_due(spill) || now_ns < spill->cursor_ns + spill->settings.cursor_interval_ns)
        return done;
    spill->cursor_ns = now_ns;
    spill_check_presence(spill, false);
    if (spill_is_complete(spill))
        spill_seal(spill, NULL);
    remove_completed(spill);
    left_block_take_back(&spill->left, &spill->segments);
    bool written = spill_write_cursor(spill, spill_completed(spill), spill->written.read, &why);
    return pass_error_on(spill, written, done ? &why : NULL, error) && done;
}

void spill_check_files(struct spill *spill)
{
    spill_check_presence(spill, false);
}

struct spill_counts spill_counts(const struct spill *spill)
{
    const struct reader *reader = &spill->reader;
    struct spill_counts counts = {
        .recovered = spill->recovered,
        .appended = spill->appended,
        .acknowledged = reader->acknowledged,
        .evicted = reader->evicted,
        .evicted_sent = spill->evicted_sent,
        .lost = reader->lost,
        .bytes = spill->segments.bytes + kept_bytes(&spill->kept),
        .recovered_bytes = spill->recovered_bytes,
        .kept = kept_records(&spill->kept, false),
        .gone = spill_gone(spill),
    };
    counts.held =
        counts.recovered + counts.appended - counts.acknowledged - counts.evicted - counts.lost;
    return counts;
}

/*
 * Returns the position for the last write of the cursor. If a block that could not be stored was
 * delivered in another way but is still on disk, and all other records are complete, the position
 * is after that block.
 */
static uint64_t completed_at_close(struct spill *spill)
{
    bool gone = left_block_take_back(&spill->left, &spill->segments);
    return !gone && spill_is_complete(spill) ? spill->left.end : spill_completed(spill);
}

/*
 * Counts the records of segments that other programs have removed as lost, at both ends of the
 * spill, so that the next opening does not count them as missing.
 */
static void forget_gone(struct spill *spill)
{
    struct segments *segments = &spill->segments;
    struct reader *reader = &spill->reader;
    while (segments->count != 0 && segments_last(segments)->gone) {
        uint64_t first = segments_last(segments)->first;
        uint64_t end = first > reader->position ? first : reader->position;
        reader->lost += segments->end - end;
        segments->end = end;
        segments_pop(segments);
    }
    while (reader->count == 0 && segments->count != 0 &&
           segments_at(segments, segments->removed)->gone) {
        uint64_t end = segments_end_of(segments, segments->removed);
        reader->lost += end > reader->position ? end - reader->position : 0;
        reader->position = end > reader->position ? end : reader->position;
        segments_forget_first(segments);
    }
}

bool spill_close(struct spill *spill, struct error *error)
{
    if (spill == NULL)
        return true;
    struct error why;
    note_sent_to(spill, reader_acknowledged_end(&spill->reader));
    spill_check_presence(spill, false);
    forget_gone(spill);
    bool done = pass_error_on(spill, spill_seal(spill, &why), &why, error);
    remove_completed(spill);
    uint64_t sent = spill->sent > spill->again ? spill->sent : spill->again;
    bool written = spill_write_cursor(spill, completed_at_close(spill), sent, &why);
    done = pass_error_on(spill, written, done ? &why : NULL, error) && done;
    spill_free(spill);
    return done;
}
