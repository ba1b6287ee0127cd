#include "collector/spill/kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/file_system.h"
#include "collector/spill/scan.h"

void kept_free(struct kept *kept)
{
    free(kept->files);
    *kept = (struct kept){0};
}

struct kept_file *kept_put_back(struct kept *kept, const struct kept_file *file)
{
    RULE(kept->count < kept->capacity, "there is room for a file that was in the table");
    size_t index = kept->count++;
    for (; index > 0 && kept->files[index - 1].first > file->first; index--)
        kept->files[index] = kept->files[index - 1];
    kept->files[index] = *file;
    return &kept->files[index];
}

bool kept_add(struct kept *kept, const struct kept_file *file)
{
    if (kept->count == kept->capacity) {
        size_t capacity = kept->capacity == 0 ? 16 : 2 * kept->capacity;
        struct kept_file *larger = realloc(kept->files, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        kept->files = larger;
        kept->capacity = capacity;
    }
    struct kept_file added = *file;
    added.sent = kept->sent;
    kept_put_back(kept, &added);
    return true;
}

void kept_remove(struct kept *kept, size_t index)
{
    RULE(index < kept->count, "the file is in the table");
    kept->count--;
    memmove(kept->files + index, kept->files + index + 1,
            (kept->count - index) * sizeof *kept->files);
}

uint64_t kept_records(const struct kept *kept, bool fit)
{
    uint64_t records = 0;
    for (size_t i = 0; i < kept->count; i++)
        if (kept->files[i].fits == fit)
            records += kept->files[i].end - kept->files[i].first;
    return records;
}

uint64_t kept_bytes(const struct kept *kept)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < kept->count; i++)
        bytes += kept->files[i].size;
    return bytes;
}

const struct kept_file *kept_next(const struct kept *kept, size_t *index)
{
    for (*index = 0; *index < kept->count; ++*index)
        if (kept->files[*index].fits)
            return &kept->files[*index];
    return NULL;
}

bool kept_is_named(const char *name, struct kept_file *file)
{
    return segment_is_named(name, "-", &file->first) == SEGMENT_NAME_BEGINS &&
           segment_is_named(name + SEGMENT_DIGITS + 1, KEPT_ENDING, &file->end) ==
               SEGMENT_NAME_IS &&
           file->first < file->end;
}

void kept_label(const struct kept *kept, struct segments *segments, uint64_t spill,
                char label[SPILL_LABEL_SIZE])
{
    for (size_t i = 0; i < kept->count; i++)
        if (!kept->files[i].fits && scan_label(segments, kept->files[i].name, spill,
                                               kept->files[i].first, label) == SCAN_LABEL_FOUND)
            return;
    label[0] = '\0';
}

static void name_file(struct kept_file *file)
{
    snprintf(file->name, sizeof file->name, "%020" PRIu64 "-%020" PRIu64 KEPT_ENDING, file->first,
             file->end);
}

/*
 * Returns true if a sink with this label can send the file's blocks. Blocks without a label (of
 * earlier versions) fit every sink, and a sink without a label fits every block. A file without a
 * block fits: the reader counts its records as lost. A file that cannot be read does not fit,
 * because its blocks may have another label.
 */
static bool file_fits(struct segments *segments, const char *name, uint64_t spill,
                      uint64_t position, const char *label)
{
    char found[SPILL_LABEL_SIZE];
    if (label == NULL || label[0] == '\0')
        return true;
    switch (scan_label(segments, name, spill, position, found)) {
    case SCAN_LABEL_FOUND:
        return found[0] == '\0' || strcmp(found, label) == 0;
    case SCAN_LABEL_NONE:
        return true;
    case SCAN_LABEL_UNREAD:
        break;
    }
    return false;
}

void kept_match(struct kept *kept, struct segments *segments, uint64_t spill, const char *label)
{
    for (size_t i = 0; i < kept->count; i++)
        kept->files[i].fits =
            file_fits(segments, kept->files[i].name, spill, kept->files[i].first, label);
}

void kept_rename(struct kept_file *file, struct segments *segments)
{
    struct kept_file renamed = *file;
    name_file(&renamed);
    const char *from = segments_path(segments, file->name);
    const char *to = segments_path(segments, renamed.name);
    if (!folder_has(to) && folder_rename_file(from, to))
        *file = renamed;
}

static int keep_first(struct kept *kept, struct segments *segments, struct kept_file *file,
                      struct error *error)
{
    const struct segment *first = segments_at(segments, segments->removed);
    snprintf(file->name, sizeof file->name, "%s", first->name);
    if (!segments->looks_only) {
        name_file(file);
        const char *from = segments_path(segments, first->name);
        const char *to = segments_path(segments, file->name);
        if (folder_has(to) || !folder_rename_file(from, to)) {
            error_set(error, EXIT_CODE_CANNOT_CREATE, "spill %s: cannot rename %s to %s",
                      segments->folder, first->name, file->name);
            return -1;
        }
    }
    file->size = first->size;
    segments_forget_first(segments);
    return kept_add(kept, file) ? 0 : error_no_memory(error);
}

int kept_sort_out(struct kept *kept, struct segments *segments, uint64_t spill, const char *label,
                  uint64_t *position, uint64_t *lost, struct error *error)
{
    size_t misfits = 0;
    for (size_t i = 0; i < segments->count; i++) {
        const struct segment *one = segments_at(segments, segments->removed + i);
        if (!file_fits(segments, one->name, spill, *position, label))
            misfits = i + 1;
    }
    for (; misfits > 0; misfits--) {
        const struct segment *first = segments_at(segments, segments->removed);
        uint64_t next = segments_end_of(segments, segments->removed);
        struct kept_file file = {
            .first = *position > first->first ? *position : first->first,
            .end = scan_end(segments, first->name, spill),
            .fits = file_fits(segments, first->name, spill, *position, label),
        };
        if (file.end > next)
            file.end = next;
        if (file.end <= file.first) { /* no waiting record is in the file */
            *lost += next > *position ? next - *position : 0;
            if (!segments_remove_first(segments))
                segments_forget_first(segments);
        } else {
            *lost += file.first - *position + (next - file.end);
            if (keep_first(kept, segments, &file, error) != 0)
                return -1;
        }
        if (next > *position)
            *position = next;
    }
    return 0;
}
