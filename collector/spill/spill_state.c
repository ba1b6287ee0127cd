#include "collector/spill/spill_state.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "collector/platform/machine.h"

/*
 * Returns the most segments. A new segment begins only with a block that does not fit into the last
 * one, so of two adjacent segments at least one is half full. The 4 are for segments that ended
 * early.
 */
size_t spill_most_segments(const struct spill_settings *settings, size_t there)
{
    return there + (size_t)(settings->size / settings->segment_size) * 2 + 4;
}

/*
 * Creates the lock file with its folder, and locks it. The file is never removed: otherwise another
 * program could create and lock a new file of this name.
 */
static enum part_result lock_file(const char *path, size_t root, struct part_file **lock,
                                  struct error *error)
{
    enum part_result result = PART_TAKEN;
    for (int i = 0; i < 3 && result == PART_TAKEN; i++) {
        result = part_file_open_left(path, lock, error);
        if (result == PART_MISSING)
            result = part_file_open_private(path, root, lock, error);
    }
    return result;
}

/*
 * The number of further attempts to take the lock, and the nanoseconds before each of them. An
 * inspection (inspection.h) has the lock for a moment.
 */
#define LOOKS   3
#define LOOK_NS INT64_C(2000000)

static enum part_result lock_patiently(const char *path, size_t root, struct part_file **lock,
                                       struct error *error)
{
    enum part_result result = lock_file(path, root, lock, error);
    struct pause *pause = result == PART_LOCKED ? pause_create() : NULL;
    for (int i = 0; i < LOOKS && result == PART_LOCKED && pause != NULL; i++) {
        pause_wait(pause, LOOK_NS);
        result = lock_file(path, root, lock, error);
    }
    pause_destroy(pause);
    return result;
}

int spill_take_lock(struct spill *spill, struct error *error)
{
    RULE(spill->lock == NULL, "a spill has one lock");
    const char *path = segments_path(&spill->segments, "lock");
    switch (lock_patiently(path, file_path_root(path), &spill->lock, error)) {
    case PART_DONE:
        return 0;
    case PART_LOCKED:
    case PART_TAKEN:
        error_set(error, EXIT_CODE_CONFIG, "spill %s: another sink or program has it open",
                  spill->segments.folder);
        return -1;
    case PART_MISSING:
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot open %s: not a regular file", path);
        return -1;
    default:
        return -1;
    }
}

bool spill_may_sync(const struct spill *spill)
{
    return spill->settings.sync != SPILL_SYNC_NEVER;
}

bool spill_write_cursor(struct spill *spill, uint64_t position, uint64_t read, struct error *error)
{
    const struct cursor_state state = {spill->id, position, read, spill->segments.end,
                                       kept_records(&spill->kept, true) +
                                           kept_records(&spill->kept, false)};
    const struct cursor_state *written = &spill->written;
    if (spill->has_cursor && written->position == position && written->read == read &&
        written->end == state.end && written->kept == state.kept)
        return true;
    /* A change of only `end` is not synced: a power cut may remove the blocks before it, too. */
    bool sync = !spill->has_cursor || written->position != position || written->read != read ||
                written->kept != state.kept;
    if (!cursor_write(&spill->cursor, segments_path(&spill->segments, "ack"), &state,
                      sync && spill_may_sync(spill), error))
        return false;
    spill->written = state;
    spill->has_cursor = true;
    return true;
}

void spill_sync_recovered(struct spill *spill)
{
    struct segments *segments = &spill->segments;
    for (uint64_t i = 0; i < segments->count; i++) {
        const struct segment *segment = segments_at(segments, segments->removed + i);
        struct data_file file;
        enum data_file_result result =
            data_file_open(segments_path(segments, segment->name), &file, NULL);
        if (result == DATA_FILE_MISSING)
            continue;
        if (result != DATA_FILE_DONE)
            return;
        bool synced = data_file_sync(file, NULL);
        data_file_close(file);
        if (!synced)
            return;
    }
    spill->owes_sync = !folder_sync(segments->folder, NULL);
}

void spill_set_label(struct spill *spill, const char *label)
{
    spill->label_size = label == NULL ? 0 : (uint32_t)strlen(label);
    memcpy(spill->label, label == NULL ? "" : label, spill->label_size + 1);
    spill->label_checksum = crc32c(0, spill->label, spill->label_size);
    spill->settings.label = spill->label;
}

bool spill_sync_blocks(struct spill *spill, struct error *error)
{
    struct tail *tail = &spill->tail;
    if (spill->owes_sync)
        spill_sync_recovered(spill);
    if (tail->is_open && tail->unsynced && !data_file_sync(tail->file, error))
        return false;
    tail->unsynced = false;
    if (tail->name_unsynced && !folder_sync(spill->segments.folder, error))
        return false;
    tail->name_unsynced = false;
    return true;
}

/*
 * Returns the position below which all records are complete. This includes all records below the
 * first segment, even if blocks of an evicted segment are not acknowledged: they cannot be read
 * again.
 */
uint64_t spill_completed(const struct spill *spill)
{
    const struct segments *segments = &spill->segments;
    uint64_t position = reader_completed(&spill->reader);
    uint64_t first =
        segments->count == 0 ? segments->end : segments_at(segments, segments->removed)->first;
    return position < first && segments->removed != 0 ? first : position;
}

bool spill_is_complete(const struct spill *spill)
{
    return reader_completed(&spill->reader) == spill->segments.end;
}

bool spill_seal(struct spill *spill, struct error *error)
{
    struct tail *tail = &spill->tail;
    if (!tail->is_open)
        return true;
    bool done =
        !spill_may_sync(spill) || spill_is_complete(spill) || spill_sync_blocks(spill, error);
    data_file_close(tail->file);
    *tail = (struct tail){.name_unsynced = tail->name_unsynced};
    segments_last(&spill->segments)->sealed = true;
    return done;
}

void spill_free(struct spill *spill)
{
    reader_free(&spill->reader);
    cursor_close(&spill->cursor);
    part_file_close(spill->lock);
    kept_free(&spill->kept);
    segments_free(&spill->segments);
    free(spill);
}
