#include "collector/spill/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "collector/platform/output_file.h"
#include "collector/spill/cursor.h"
#include "collector/spill/reader.h"
#include "collector/spill/recovery.h"
#include "collector/spill/segments.h"
#include "collector/spill/settings.h"
#include "collector/text/copy.h"

/*
 * An inspection fails after more than this number of successive failures. The reader skips blocks
 * that it cannot read, so this happens only if a file cannot be opened.
 */
#define FAILURES_MOST 10

/* --- the folder ------------------------------------------------------------------------------- */

/* Shortens the path to a folder that exists: itself, or the parent in which it would be created. */
static void cut_to_what_is_there(char *path)
{
    while (path[0] != '\0' && !folder_has(path)) {
        size_t length = strlen(path);
        if (path[length - 1] == '/' && length > file_path_root(path))
            path[length - 1] = '\0';
        else
            path[file_path_folder(path)] = '\0';
        if (strlen(path) == length)
            return;
    }
    if (path[0] == '\0')
        memcpy(path, ".", 2);
}

static int inspect_folder(const char *folder, struct spill_inspection *inspection,
                          struct error *error)
{
    char *path = text_copy(folder, strlen(folder) + 1); /* with room for "." even if it is empty */
    if (path == NULL)
        return error_no_memory(error);
    uint64_t total;
    inspection->is_there = folder_has(folder);
    cut_to_what_is_there(path);
    int result = output_check_folder(path, error);
    inspection->knows_free = disk_room_look(path, &inspection->free, &total);
    free(path);
    return result;
}

static int inspect_lock(struct segments *segments, struct spill_inspection *inspection,
                        struct error *error)
{
    struct part_file *lock = NULL;
    switch (part_file_open_left(segments_path(segments, "lock"), &lock, error)) {
    case PART_DONE:
        part_file_close(lock);
        return 0;
    case PART_LOCKED:
        inspection->is_held = true;
        return 0;
    case PART_MISSING:
    case PART_TAKEN:
        return 0;
    case PART_BUSY:
    case PART_SHORT:
    case PART_REFUSED:
    case PART_FAILED:
        break;
    }
    return -1;
}

/* --- the blocks ------------------------------------------------------------------------------- */

static void count_block(struct spill_inspection *inspection, const struct block_head *head,
                        const struct spill_settings *settings, bool verified)
{
    inspection->blocks++;
    inspection->records += head->count;
    if (head->size > settings->image_size)
        inspection->too_large += head->count;
    if (!verified)
        inspection->unverified++;
}

static int read_blocks(struct reader *reader, struct segments *segments,
                       const struct spill_settings *settings, int64_t until_ns, void *image,
                       struct spill_inspection *inspection, struct error *error)
{
    struct block_head head;
    unsigned failures = 0;
    for (;;) {
        uint64_t lost = reader->lost;
        size_t size = clock_monotonic_ns() < until_ns ? settings->image_size : 0;
        enum spill_found found = reader_next(reader, segments, image, size, &head, error);
        if (found == SPILL_FOUND_FAILED) {
            if (++failures > FAILURES_MOST)
                return -1;
            continue;
        }
        if (found != SPILL_FOUND_NONE) {
            failures = 0;
            count_block(inspection, &head, settings, found == SPILL_FOUND);
            reader_acknowledge(reader, head.position);
        }
        inspection->gaps += reader->lost != lost;
        if (found == SPILL_FOUND_NONE)
            break;
    }
    inspection->lost = reader->lost;
    return 0;
}

static void note_kept(struct segments *segments, const struct kept *kept,
                      const struct recovered *recovered, struct spill_inspection *inspection)
{
    inspection->kept = kept_records(kept, false);
    inspection->records = inspection->kept + kept_records(kept, true);
    inspection->gaps = recovered->lost != 0;
    kept_label(kept, segments, recovered->spill, inspection->kept_label);
}

static int inspect_blocks(struct segments *segments, const struct cursor_state *state,
                          const struct spill_settings *settings, int64_t until_ns,
                          struct spill_inspection *inspection, struct error *error)
{
    struct recovered recovered;
    struct reader reader;
    struct kept kept = {0};
    if (recovery_run(segments, &kept, state, settings->label, &recovered, error) != 0) {
        kept_free(&kept);
        return -1;
    }
    note_kept(segments, &kept, &recovered, inspection);
    inspection->bytes = segments->bytes + kept_bytes(&kept);
    inspection->strange = recovered.strange;
    kept_free(&kept);
    void *image = malloc(settings->image_size);
    int result = reader_init(&reader, recovered.spill, recovered.position, 1, error);
    if (result == 0 && image == NULL)
        result = error_no_memory(error);
    if (result == 0)
        reader.lost = recovered.lost;
    if (result == 0)
        result = read_blocks(&reader, segments, settings, until_ns, image, inspection, error);
    reader_free(&reader);
    free(image);
    return result;
}

static int inspect_files(const struct spill_settings *settings, int64_t until_ns,
                         struct spill_inspection *inspection, struct error *error)
{
    struct segments segments;
    struct cursor cursor;
    struct cursor_state state;
    int result = segments_init(&segments, settings->folder, error);
    segments.looks_only = true;
    if (result == 0)
        result = inspect_lock(&segments, inspection, error);
    if (result == 0) {
        bool found = cursor_open(&cursor, segments_path(&segments, "ack"), &state);
        cursor_close(&cursor);
        result =
            inspect_blocks(&segments, found ? &state : NULL, settings, until_ns, inspection, error);
    }
    segments_free(&segments);
    return result;
}

int spill_inspect(const struct spill_settings *settings, int64_t until_ns,
                  struct spill_inspection *inspection, struct error *error)
{
    struct spill_settings checked;
    *inspection = (struct spill_inspection){0};
    if (spill_settings_complete(settings, &checked, error) != 0 ||
        inspect_folder(checked.folder, inspection, error) != 0)
        return -1;
    return inspection->is_there ? inspect_files(&checked, until_ns, inspection, error) : 0;
}
