#include "collector/spill/spill.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/crc32c.h"
#include "collector/platform/file_path.h"
#include "collector/platform/folder.h"
#include "collector/platform/part_file.h"
#include "collector/platform/pause.h"
#include "collector/platform/random.h"
#include "collector/spill/cursor.h"
#include "collector/spill/left_block.h"
#include "collector/spill/reader.h"
#include "collector/spill/recovery.h"
#include "collector/spill/segments.h"
#include "collector/spill/settings.h"

/* The segment that blocks are appended to: the last one. */
struct tail {
    struct data_file file;
    bool is_open;
    bool unsynced;      /* written since the last sync */
    bool name_unsynced; /* it was made since then */
};

struct spill {
    struct spill_settings settings;
    char label[SPILL_LABEL_SIZE]; /* of what is appended */
    uint32_t label_size, label_checksum;
    struct disk_room room; /* their folder is that of the segments */
    struct part_file *lock;
    struct segments segments;
    struct reader reader;
    struct tail tail;
    struct left_block left;
    struct cursor cursor;

    uint64_t id; /* what each of its blocks bears */
    uint64_t epoch;
    uint64_t recovered;
    uint64_t recovered_bytes;
    uint64_t appended;

    struct cursor_place written; /* what the cursor's file says */
    bool has_cursor;             /* it says something */
    int64_t cursor_ns;           /* when it was last written, or that was tried */
    int64_t synced_ns;           /* the same of blocks */
    bool owes_sync;              /* segments that were there at the opening are not synced yet */

    /* Blocks that begin below it may have been sent: before the last rewind, or the opening; */
    uint64_t again;
    uint64_t sent; /* and since then, as their reader says. */
};

/* --- opening ---------------------------------------------------------------------------------- */

/* Of two that follow each other at least one is half full, or they would be one. */
static size_t most_segments(const struct spill_settings *settings, size_t there)
{
    return there + (size_t)(settings->size / settings->segment_size) * 2 + 4;
}

/* The file is made with its folder, and stays: whoever removed it could lock another one. */
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

/* Whoever only looks (inspection.h) has the lock for a moment. */
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

static int take_lock(struct spill *spill, struct error *error)
{
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
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot open %s: it is no file", path);
        return -1;
    default:
        return -1;
    }
}

static uint64_t random_number(struct error *error)
{
    uint64_t number = 0;
    while (number == 0)
        if (random_bytes((uint8_t *)&number, sizeof number, error) != 0)
            return 0;
    return number;
}

static bool may_sync(const struct spill *spill)
{
    return spill->settings.sync != SPILL_SYNC_NEVER;
}

static bool write_cursor(struct spill *spill, uint64_t position, uint64_t read, struct error *error)
{
    const struct cursor_place place = {spill->id, position, read};
    if (spill->has_cursor && spill->written.position == position && spill->written.read == read)
        return true;
    if (!cursor_write(&spill->cursor, segments_path(&spill->segments, "ack"), &place,
                      may_sync(spill), error))
        return false;
    spill->written = place;
    spill->has_cursor = true;
    return true;
}

/*
 * Syncs what is there at the opening, which counts as stored from then on: a run that was killed
 * may not have synced it yet, and one with SPILL_SYNC_NEVER has not. A sync that fails is tried
 * again with the next one of blocks.
 */
static void sync_recovered(struct spill *spill)
{
    struct segments *segments = &spill->segments;
    for (uint64_t i = 0; i < segments->count; i++) {
        const struct segment *segment = segments_at(segments, segments->removed + i);
        struct data_file file;
        enum data_file_result result =
            data_file_open(segments_file(segments, segment->first), &file, NULL);
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

static int open_all(struct spill *spill, const struct spill_settings *settings, struct error *error)
{
    struct recovered recovered;
    if (segments_init(&spill->segments, settings->folder, error) != 0)
        return -1;
    spill->settings.folder = spill->segments.folder;
    if (take_lock(spill, error) != 0)
        return -1;
    bool found =
        cursor_open(&spill->cursor, segments_path(&spill->segments, "ack"), &spill->written);
    if (recovery_run(&spill->segments, found ? &spill->written : NULL, &recovered, error) != 0 ||
        segments_reserve(&spill->segments, most_segments(&spill->settings, spill->segments.count),
                         error) != 0)
        return -1;
    spill->owes_sync = may_sync(spill) && spill->segments.count != 0;
    if (spill->owes_sync)
        sync_recovered(spill);
    spill->id = recovered.spill != 0 ? recovered.spill : random_number(error);
    spill->epoch = random_number(error);
    if (spill->id == 0 || spill->epoch == 0)
        return -1;
    spill->recovered = spill->segments.end - recovered.position;
    spill->recovered_bytes = spill->segments.bytes;
    spill->has_cursor = found && spill->written.spill == spill->id;
    spill->again = recovered.read;
    /* One that is missing later was lost, and not unwritten. It is tried again with the next one.
     */
    if (!spill->has_cursor) {
        spill->written = (struct cursor_place){0};
        write_cursor(spill, recovered.position, recovered.read, NULL);
    }
    spill->cursor_ns = spill->synced_ns = clock_monotonic_ns();
    return reader_init(&spill->reader, spill->id, recovered.position, settings->window, error);
}

/* What is appended from now on has this label. */
static void set_label(struct spill *spill, const char *label)
{
    spill->label_size = label == NULL ? 0 : (uint32_t)strlen(label);
    memcpy(spill->label, label == NULL ? "" : label, spill->label_size + 1);
    spill->label_checksum = crc32c(0, spill->label, spill->label_size);
    spill->settings.label = spill->label;
}

static void free_all(struct spill *spill)
{
    reader_free(&spill->reader);
    cursor_close(&spill->cursor);
    part_file_close(spill->lock);
    segments_free(&spill->segments);
    free(spill);
}

int spill_open(const struct spill_settings *settings, struct spill **out, struct error *error)
{
    struct spill_settings checked;
    if (spill_settings_complete(settings, &checked, error) != 0)
        return -1;
    struct spill *spill = calloc(1, sizeof *spill);
    if (spill == NULL)
        return error_no_memory(error);
    spill->settings = checked;
    set_label(spill, checked.label);
    if (open_all(spill, settings, error) != 0) {
        free_all(spill);
        return -1;
    }
    *out = spill;
    return 0;
}

int spill_change(struct spill *spill, const struct spill_settings *settings, struct error *error)
{
    struct spill_settings checked;
    if (spill_settings_complete(settings, &checked, error) != 0 ||
        segments_reserve(&spill->segments, most_segments(&checked, spill->segments.count), error) !=
            0)
        return -1;
    spill_rewind(spill);
    if (reader_resize(&spill->reader, settings->window, error) != 0)
        return -1;
    checked.folder = spill->segments.folder;
    spill->settings = checked;
    set_label(spill, checked.label);
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

/* --- reaching the disk ------------------------------------------------------------------------ */

static bool sync_blocks(struct spill *spill, struct error *error)
{
    struct tail *tail = &spill->tail;
    if (spill->owes_sync)
        sync_recovered(spill);
    if (tail->is_open && tail->unsynced && !data_file_sync(tail->file, error))
        return false;
    tail->unsynced = false;
    if (tail->name_unsynced && !folder_sync(spill->segments.folder, error))
        return false;
    tail->name_unsynced = false;
    return true;
}

/*
 * Whatever was settled is below the first segment that is still there, even where blocks that were
 * read before their segment was evicted are not acknowledged yet: they cannot be read again.
 */
static uint64_t settled(const struct spill *spill)
{
    const struct segments *segments = &spill->segments;
    uint64_t position = reader_settled(&spill->reader);
    uint64_t first =
        segments->count == 0 ? segments->end : segments_at(segments, segments->removed)->first;
    return position < first && segments->removed != 0 ? first : position;
}

/* Whether all that is there was acknowledged, or is gone. */
static bool is_settled(const struct spill *spill)
{
    return reader_settled(&spill->reader) == spill->segments.end;
}

/* Ends the segment that is written: the next block begins another one. */
static bool seal(struct spill *spill, struct error *error)
{
    struct tail *tail = &spill->tail;
    if (!tail->is_open)
        return true;
    bool done = !may_sync(spill) || is_settled(spill) || sync_blocks(spill, error);
    data_file_close(tail->file);
    *tail = (struct tail){.name_unsynced = tail->name_unsynced};
    segments_last(&spill->segments)->sealed = true;
    return done;
}

/* --- removing --------------------------------------------------------------------------------- */

/*
 * Removes the first segment. The cursor is written first: what is not there any more must not be
 * missed. Where that fails it is removed all the same, because a full disk needs the room.
 */
static bool remove_first(struct spill *spill, uint64_t position)
{
    struct segments *segments = &spill->segments;
    uint64_t read = spill->written.read;
    write_cursor(spill, position, read, NULL);
    reader_leave(&spill->reader, segments->removed);
    return segments_remove_first(segments) && write_cursor(spill, position, read, NULL);
}

/* Removes those that are done with; the last one only where it is not written any more. */
static void remove_settled(struct spill *spill)
{
    struct segments *segments = &spill->segments;
    while (segments->count != 0 && segments_at(segments, segments->removed)->sealed) {
        uint64_t end = segments_end_of(segments, segments->removed);
        if (end > reader_settled(&spill->reader))
            break;
        if (!remove_first(spill, reader_settled(&spill->reader)))
            break;
    }
}

bool spill_evict(struct spill *spill, uint64_t *records, struct error *error)
{
    struct segments *segments = &spill->segments;
    *records = 0;
    if (segments->count == 0) {
        error_set(error, EXIT_CODE_IO, "spill %s: nothing is there", segments->folder);
        return false;
    }
    if (segments->count == 1)
        seal(spill, NULL);
    uint64_t end = segments_end_of(segments, segments->removed);
    reader_leave(&spill->reader, segments->removed);
    if (!segments_remove_first(segments)) {
        error_set(error, EXIT_CODE_IO, "cannot remove %s",
                  segments_file(segments, segments_at(segments, segments->removed)->first));
        return false;
    }
    *records = reader_evict(&spill->reader, end);
    write_cursor(spill, settled(spill), spill->written.read, NULL);
    return true;
}

/* --- appending -------------------------------------------------------------------------------- */

static enum spill_stored failed(struct spill *spill, enum data_file_result result,
                                const struct error *why, struct error *error)
{
    error_set(error, EXIT_CODE_IO, "spill %s: %s", spill->segments.folder, why->text);
    return result == DATA_FILE_FULL ? SPILL_FULL : SPILL_FAILED;
}

/* An empty file is one that could not be removed when the first write to it had failed. */
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

/* What has the name is no segment of ours, or it would be in the table. */
static enum data_file_result make_file(struct spill *spill, uint64_t first, struct error *error)
{
    struct segments *segments = &spill->segments;
    struct data_file *file = &spill->tail.file;
    enum data_file_result result = data_file_make(segments_file(segments, first), file, error);
    if (result == DATA_FILE_TAKEN && take_empty(segments_file(segments, first), file))
        return DATA_FILE_DONE;
    if (result == DATA_FILE_TAKEN && segments_set_aside(segments, first))
        result = data_file_make(segments_file(segments, first), file, error);
    if (result == DATA_FILE_TAKEN)
        error_set(error, EXIT_CODE_IO, "cannot create %s: the name is taken",
                  segments_file(segments, first));
    return result;
}

static enum data_file_result begin_segment(struct spill *spill, struct error *error)
{
    struct segments *segments = &spill->segments;
    if (segments->count == segments->capacity) {
        error_set(error, EXIT_CODE_IO, "it has too many segments");
        return DATA_FILE_FULL;
    }
    enum data_file_result result = make_file(spill, segments->end, error);
    if (result != DATA_FILE_DONE)
        return result;
    left_block_note_segment(&spill->left, segments->end);
    segments_push(segments, segments->end, 0);
    spill->tail =
        (struct tail){.file = spill->tail.file, .is_open = true, .name_unsynced = may_sync(spill)};
    return result;
}

/*
 * After a write that failed: what was written of it is cut off, and what comes next is written to a
 * new segment, unless only room was missing. Returns whether it is off the disk.
 */
static bool take_back(struct spill *spill, enum data_file_result result)
{
    struct segments *segments = &spill->segments;
    struct segment *last = segments_last(segments);
    bool gone = data_file_cut(spill->tail.file, last->size, NULL);
    if (last->size != 0 && result == DATA_FILE_FULL)
        return gone;
    seal(spill, NULL);
    /* An empty one has the name that the next one will have. */
    if (last->size == 0) {
        uint64_t number = segments->removed + segments->count - 1;
        uint64_t first = last->first;
        reader_leave(&spill->reader, number);
        segments_pop(segments);
        gone = segments_discard(segments, first) || gone;
    }
    return gone;
}

static enum data_file_result write_block(struct spill *spill, const struct block_head *head,
                                         const struct text *pieces, size_t count,
                                         struct error *error)
{
    _Static_assert(2 + SPILL_PIECES_MAX <= DATA_FILE_PIECES_MAX, "a write takes them all");
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct text all[2 + SPILL_PIECES_MAX];
    const struct segment *last = segments_last(&spill->segments);
    struct left_block block = {
        .number = head->number,
        .first = last->first,
        .offset = last->size,
        .end = block_head_end(head),
    };
    block_head_write(head, bytes);
    all[0] = (struct text){(const char *)bytes, sizeof bytes};
    all[1] = (struct text){spill->label, spill->label_size};
    memcpy(all + 2, pieces, count * sizeof *pieces);
    enum data_file_result result =
        data_file_write(spill->tail.file, last->size, all, 2 + count, error);
    if (result != DATA_FILE_DONE) {
        take_back(spill, result); /* if it stays, it is no whole block */
        return result;
    }
    spill->tail.unsynced = true;
    if (spill->settings.sync != SPILL_SYNC_ALWAYS || sync_blocks(spill, error))
        return DATA_FILE_DONE;
    block.is_there = !take_back(spill, DATA_FILE_FAILED);
    if (block.is_there)
        spill->left = block;
    return DATA_FILE_FAILED;
}

enum spill_stored spill_append(struct spill *spill, const struct spill_block *block,
                               const struct text *pieces, size_t count, struct error *error)
{
    struct segments *segments = &spill->segments;
    struct block_head head = {
        .spill = spill->id,
        .epoch = spill->epoch,
        .position = segments->end,
        .number = block->number,
        .count = block->count,
        .layout = block->layout,
        .label_size = spill->label_size,
        .label_checksum = spill->label_checksum,
    };
    struct error why;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += pieces[i].size;
        head.checksum = crc32c(head.checksum, pieces[i].data, pieces[i].size);
    }
    RULE(count <= SPILL_PIECES_MAX && size != 0 && size <= spill->settings.image_size,
         "an image is of the size that was agreed on");
    RULE(block->count != 0, "a block has records");
    head.size = (uint32_t)size;
    uint64_t whole = block_head_whole(&head);
    left_block_take_back(&spill->left, segments);
    if (segments->bytes + whole > spill->settings.size) {
        error_set(error, EXIT_CODE_IO, "spill %s: it has its size", segments->folder);
        return SPILL_FULL;
    }
    if (!disk_room_has(&spill->room, &spill->settings.reserve, segments->folder, &why))
        return failed(spill, DATA_FILE_FULL, &why, error);
    const struct segment *last = segments_last(segments);
    if (spill->tail.is_open &&
        (last->sealed || (last->size != 0 && last->size + whole > spill->settings.segment_size)))
        seal(spill, NULL);
    if (!spill->tail.is_open) {
        enum data_file_result result = begin_segment(spill, &why);
        if (result != DATA_FILE_DONE)
            return failed(spill, result, &why, error);
    }
    enum data_file_result result = write_block(spill, &head, pieces, count, &why);
    if (result != DATA_FILE_DONE)
        return failed(spill, result, &why, error);
    spill->left.is_there = false; /* it would be where this block is: nobody reads it */
    segments_last(segments)->size += whole;
    segments->bytes += whole;
    segments->end += block->count;
    spill->appended += block->count;
    return SPILL_STORED;
}

bool spill_give_up(struct spill *spill, uint64_t number)
{
    if (spill->left.number != number || left_block_take_back(&spill->left, &spill->segments))
        return false;
    spill->left.is_there = false; /* it is for the next opening */
    return true;
}

/* --- what may have been sent ------------------------------------------------------------------ */

/* How many more blocks than this one the cursor says were read, where it is synced for that. */
#define READ_AHEAD 16

/*
 * What was read may be sent, which the cursor says before: whoever finds it there after a kill
 * knows no more. Where it cannot be written it is tried again with the next block.
 */
static void note_read(struct spill *spill, uint64_t end, uint32_t count)
{
    uint64_t ahead = may_sync(spill) ? (uint64_t)READ_AHEAD * count : 0;
    if (end > spill->written.read)
        write_cursor(spill, settled(spill), end + ahead, NULL);
}

enum spill_stored spill_append_read(struct spill *spill, const struct spill_block *block,
                                    const struct text *pieces, size_t count, struct error *error)
{
    RULE(spill->reader.position == spill->segments.end, "blocks are read in their order");
    if (!reader_has_room(&spill->reader)) {
        error_set(error, EXIT_CODE_IO, "spill %s: too many blocks are out", spill->segments.folder);
        return SPILL_FULL;
    }
    /* It may have been sent already: that is known before it can be found there. */
    note_read(spill, spill->segments.end + block->count, block->count);
    enum spill_stored stored = spill_append(spill, block, pieces, count, error);
    if (stored != SPILL_STORED)
        return stored;
    reader_pass(&spill->reader, spill->segments.end);
    note_read(spill, spill->segments.end, block->count);
    return SPILL_STORED;
}

bool spill_holds(const struct spill *spill, size_t place)
{
    return reader_holds(&spill->reader, place);
}

void spill_note_sent(struct spill *spill, size_t place)
{
    uint64_t end = reader_end_of(&spill->reader, place);
    if (end > spill->sent)
        spill->sent = end;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum spill_found spill_read(struct spill *spill, void *bytes, size_t size,
                            struct spill_block *block, struct error *error)
{
    struct block_head head;
    struct error why;
    enum spill_found found =
        reader_next(&spill->reader, &spill->segments, bytes, size, &head, &why);
    if (found == SPILL_FOUND_FAILED)
        error_set(error, EXIT_CODE_IO, "spill %s: %s", spill->segments.folder, why.text);
    if (found == SPILL_FOUND)
        note_read(spill, block_head_end(&head), head.count);
    if (found == SPILL_FOUND || found == SPILL_FOUND_TOO_LARGE)
        *block = (struct spill_block){.number = head.number,
                                      .count = head.count,
                                      .layout = head.layout,
                                      .epoch = head.epoch,
                                      .size = head.size,
                                      .again = head.position < spill->again};
    return found;
}

void spill_acknowledge(struct spill *spill)
{
    reader_acknowledge(&spill->reader);
    remove_settled(spill);
}

void spill_rewind(struct spill *spill)
{
    if (spill->sent > spill->again)
        spill->again = spill->sent;
    reader_rewind(&spill->reader, &spill->segments);
}

/* --- from time to time ------------------------------------------------------------------------ */

static bool sync_is_due(const struct spill *spill)
{
    return spill->settings.sync == SPILL_SYNC_INTERVAL &&
           (spill->tail.unsynced || spill->tail.name_unsynced);
}

/* The cursor's file is behind, or something is still on disk that should not be. */
static bool cursor_is_due(const struct spill *spill)
{
    const struct segments *segments = &spill->segments;
    return spill->written.position != settled(spill) || !spill->has_cursor ||
           spill->left.is_there ||
           (segments->count != 0 &&
            segments_end_of(segments, segments->removed) <= reader_settled(&spill->reader));
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

/* Passes on why something failed, with the folder before it. Returns whether it was done. */
static bool report(const struct spill *spill, bool done, const struct error *why,
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
        done = report(spill, sync_blocks(spill, &why), &why, error);
    }
    if (!cursor_is_due(spill) || now_ns < spill->cursor_ns + spill->settings.cursor_interval_ns)
        return done;
    spill->cursor_ns = now_ns;
    if (is_settled(spill))
        seal(spill, NULL);
    remove_settled(spill);
    left_block_take_back(&spill->left, &spill->segments);
    bool written = write_cursor(spill, settled(spill), spill->written.read, &why);
    return report(spill, written, done ? &why : NULL, error) && done;
}

struct spill_counts spill_counts(const struct spill *spill)
{
    const struct reader *reader = &spill->reader;
    struct spill_counts counts = {
        .recovered = spill->recovered,
        .appended = spill->appended,
        .acknowledged = reader->acknowledged,
        .evicted = reader->evicted,
        .lost = reader->lost,
        .bytes = spill->segments.bytes,
        .recovered_bytes = spill->recovered_bytes,
    };
    counts.held =
        counts.recovered + counts.appended - counts.acknowledged - counts.evicted - counts.lost;
    return counts;
}

/* A block that was not given up went another way. Where it cannot be removed it is passed over. */
static uint64_t settled_at_close(struct spill *spill)
{
    bool gone = left_block_take_back(&spill->left, &spill->segments);
    return !gone && is_settled(spill) ? spill->left.end : settled(spill);
}

bool spill_close(struct spill *spill, struct error *error)
{
    if (spill == NULL)
        return true;
    struct error why;
    bool done = report(spill, seal(spill, &why), &why, error);
    remove_settled(spill);
    uint64_t sent = spill->sent > spill->again ? spill->sent : spill->again;
    bool written = write_cursor(spill, settled_at_close(spill), sent, &why);
    done = report(spill, written, done ? &why : NULL, error) && done;
    free_all(spill);
    return done;
}
