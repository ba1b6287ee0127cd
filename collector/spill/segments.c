#include "collector/spill/segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/file_system.h"

int segments_init(struct segments *segments, const char *folder, struct error *error)
{
    size_t length = strlen(folder);
    size_t room = length + 1 + SEGMENT_NAME_SIZE;
    *segments = (struct segments){
        .folder = malloc(length + 1),
        .paths = {malloc(room), malloc(room)},
    };
    if (segments->folder == NULL || segments->paths[0] == NULL || segments->paths[1] == NULL)
        return error_no_memory(error);
    memcpy(segments->folder, folder, length + 1);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    for (unsigned i = 0; i < 2; i++) {
        memcpy(segments->paths[i], folder, length);
        segments->paths[i][length] = '/';
    }
    segments->prefix = length + 1;
    return 0;
}

void segments_free(struct segments *segments)
{
    free(segments->ring);
    free(segments->paths[0]);
    free(segments->paths[1]);
    free(segments->folder);
}

static size_t segments_slot(const struct segments *segments, size_t place)
{
    return (segments->start + place) % segments->capacity;
}

int segments_reserve(struct segments *segments, size_t capacity, struct error *error)
{
    if (capacity < segments->count)
        capacity = segments->count;
    struct segment *ring = calloc(capacity == 0 ? 1 : capacity, sizeof *ring);
    if (ring == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < segments->count; i++)
        ring[i] = segments->ring[segments_slot(segments, i)];
    free(segments->ring);
    segments->ring = ring;
    segments->capacity = capacity;
    segments->start = 0;
    return 0;
}

const char *segments_path(struct segments *segments, const char *name)
{
    char *path = segments->paths[segments->turn ^= 1];
    snprintf(path + segments->prefix, SEGMENT_NAME_SIZE, "%s", name);
    return path;
}

struct segment *segments_at(const struct segments *segments, uint64_t number)
{
    RULE(number >= segments->removed && number - segments->removed < segments->count,
         "the number is that of a segment in the table");
    return &segments->ring[segments_slot(segments, (size_t)(number - segments->removed))];
}

struct segment *segments_last(const struct segments *segments)
{
    return segments->count == 0 ? NULL
                                : segments_at(segments, segments->removed + segments->count - 1);
}

uint64_t segments_end_of(const struct segments *segments, uint64_t number)
{
    return number + 1 < segments->removed + segments->count
               ? segments_at(segments, number + 1)->first
               : segments->end;
}

struct segment *segments_push(struct segments *segments, const char *name, uint64_t first,
                              uint64_t size)
{
    if (segments->count == segments->capacity)
        return NULL;
    struct segment *added = &segments->ring[segments_slot(segments, segments->count++)];
    *added = (struct segment){.first = first, .size = size};
    snprintf(added->name, sizeof added->name, "%s", name);
    segments->bytes += size;
    return added;
}

void segments_pop(struct segments *segments)
{
    RULE(segments->count != 0, "there is a segment to remove");
    segments->bytes -= segments_last(segments)->size;
    segments->count--;
}

bool segments_remove_first(struct segments *segments)
{
    struct segment *first = segments_at(segments, segments->removed);
    bool gone = segments->looks_only || first->gone ||
                (first->damaged ? segments_set_aside(segments, first->name, first->first)
                                : folder_remove_file(segments_path(segments, first->name)));
    if (!gone)
        return false;
    segments_forget_first(segments);
    return true;
}

void segments_forget_first(struct segments *segments)
{
    RULE(segments->count != 0, "there is a segment to remove");
    segments->bytes -= segments_at(segments, segments->removed)->size;
    segments->start = segments_slot(segments, 1);
    segments->count--;
    segments->removed++;
}

bool segments_set_aside(struct segments *segments, const char *file, uint64_t position)
{
    char name[SEGMENT_NAME_SIZE];
    const char *from = segments_path(segments, file);
    if (segments->looks_only)
        return true;
    segment_name(position, SEGMENT_BAD_ENDING, name);
    if (!folder_rename_file(from, segments_path(segments, name)) && folder_has(from))
        return false;
    log_line(LOG_WARNING, "spill %s: segment %s is damaged, or cannot be read; it is kept as %s",
             segments->folder, file, name);
    segments_note_bad(segments, position);
    return true;
}

void segments_cut(struct segments *segments, struct segment *segment, uint64_t size)
{
    uint64_t cut = segment->size - size;
    segment->size = size;
    if (segments->looks_only)
        return;
    log_line(LOG_INFO,
             "spill segment %s: cut off its last %" PRIu64 " bytes, which are not a whole block",
             segments_path(segments, segment->name), cut);
    segments_cut_file(segments, segment->name, size);
}

bool segments_cut_file(struct segments *segments, const char *name, uint64_t size)
{
    struct data_file file;
    enum data_file_result result = data_file_open(segments_path(segments, name), &file, NULL);
    if (result != DATA_FILE_DONE)
        return result == DATA_FILE_MISSING;
    bool done = data_file_cut(file, size, NULL);
    data_file_close(file);
    return done;
}

bool segments_discard(struct segments *segments, const char *name)
{
    return segments->looks_only || folder_remove_file(segments_path(segments, name));
}

void segments_note_bad(struct segments *segments, uint64_t first)
{
    size_t oldest = 0;
    if (segments->looks_only)
        return;
    for (size_t i = 0; i < segments->bad_count; i++) {
        if (segments->bad[i] == first)
            return;
        if (segments->bad[i] < segments->bad[oldest])
            oldest = i;
    }
    if (segments->bad_count < SEGMENTS_BAD_KEPT) {
        segments->bad[segments->bad_count++] = first;
        return;
    }
    uint64_t removed = first;
    if (segments->bad[oldest] < first) {
        removed = segments->bad[oldest];
        segments->bad[oldest] = first;
    }
    char name[SEGMENT_NAME_SIZE];
    segment_name(removed, SEGMENT_BAD_ENDING, name);
    folder_remove_file(segments_path(segments, name));
}
