#include "collector/spill/recovery.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/folder.h"

/* What cannot be opened or read so often is not looked at any more. */
#define ATTEMPTS 3

/* The first positions in the names of segments, and the sizes of the files, while they are listed.
 */
struct listed {
    struct segment *segments;
    size_t count;
    size_t capacity;
};

static bool add(struct listed *listed, uint64_t first, uint64_t size)
{
    if (listed->count == listed->capacity) {
        size_t capacity = listed->capacity == 0 ? 64 : 2 * listed->capacity;
        struct segment *larger = realloc(listed->segments, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        listed->segments = larger;
        listed->capacity = capacity;
    }
    listed->segments[listed->count++] = (struct segment){.first = first, .size = size};
    return true;
}

static int by_position(const void *a, const void *b)
{
    uint64_t one = ((const struct segment *)a)->first;
    uint64_t other = ((const struct segment *)b)->first;
    return one < other ? -1 : one > other;
}

static int list(struct segments *segments, struct listed *listed, struct error *error)
{
    struct folder *folder = folder_open(segments->folder);
    struct folder_entry entry;
    if (folder == NULL) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot read the folder %s", segments->folder);
        return -1;
    }
    bool done = true;
    while (done && folder_next(folder, &entry)) {
        uint64_t first;
        if (!entry.is_file)
            continue;
        if (segment_is_named(entry.name, SEGMENT_ENDING, &first))
            done = add(listed, first, entry.size);
        else if (segment_is_named(entry.name, SEGMENT_BAD_ENDING, &first))
            segments_note_bad(segments, first);
    }
    folder_close(folder);
    if (listed->count != 0)
        qsort(listed->segments, listed->count, sizeof *listed->segments, by_position);
    return done ? 0 : error_no_memory(error);
}

/* --- what a segment holds --------------------------------------------------------------------- */

struct content {
    bool is_readable;        /* the file can be opened, */
    bool is_read;            /* and all that was to be looked at could be read */
    bool has_head;           /* a whole block begins where the file does, */
    struct block_head first; /* this one */
    bool has_block;          /* there is one anywhere, if that was looked for; */
    struct block_head last;  /* the last one, */
    uint64_t end;            /* which ends here */
};

static bool is_where_it_was_written(const struct content *content, const struct segment *segment)
{
    return !content->has_head || content->first.position == segment->first;
}

/* Opens a segment, and tries that again where it fails: it may be for a moment. */
static bool open_segment(struct segments *segments, const struct segment *segment,
                         struct data_file *file)
{
    for (unsigned i = 0; i < ATTEMPTS; i++)
        if (data_file_open(segments_file(segments, segment->first), file, NULL) == DATA_FILE_DONE)
            return true;
    return false;
}

/* Looks into a segment: at its beginning, or (`whole`) as far as there are blocks. */
static struct content look_into(struct segments *segments, const struct segment *segment,
                                bool whole)
{
    struct content content = {0};
    struct segment_walk walk = {.size = segment->size};
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    if (!open_segment(segments, segment, &walk.file))
        return content;
    content.is_readable = content.is_read = true;
    enum segment_found found;
    unsigned failures = 0;
    while ((found = segment_next(&walk, window, sizeof window, &head, NULL)) != SEGMENT_END) {
        if (found == SEGMENT_FAILED) {
            if (++failures < ATTEMPTS)
                continue;
            failures = 0;
            content.is_read = false;
            walk.offset += sizeof window;
            continue;
        }
        failures = 0;
        if (walk.offset == 0) {
            content.has_head = true;
            content.first = head;
        }
        walk.offset += block_head_whole(&head);
        content.has_block = true;
        content.last = head;
        content.end = walk.offset;
        if (!whole)
            break;
    }
    data_file_close(walk.file);
    return content;
}

/* Whether a file without a whole block is the beginning of one: its writer was killed. */
static bool is_torn(struct segments *segments, const struct segment *segment)
{
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct block_head head;
    struct data_file file;
    size_t got = 0;
    if (segment->size < SPILL_HEAD_SIZE)
        return true;
    if (!open_segment(segments, segment, &file))
        return false;
    bool read = data_file_read(file, 0, bytes, sizeof bytes, &got, NULL);
    data_file_close(file);
    return read && got == sizeof bytes && block_head_read(bytes, &head);
}

/* What could not be read may well hold blocks: it is kept. */
static void discard(struct segments *segments, const struct segment *segment, bool is_read)
{
    if (is_read && is_torn(segments, segment))
        segments_discard(segments, segment->first);
    else
        segments_set_aside(segments, segment->first);
}

/* --- all of them ------------------------------------------------------------------------------ */

/*
 * The last segment with a block in it says whose blocks count, and where they end; those after it
 * are not counted any more. Returns false where there is none.
 */
static bool find_end(struct segments *segments, struct listed *listed, struct recovered *recovered)
{
    for (; listed->count != 0; listed->count--) {
        struct segment *last = &listed->segments[listed->count - 1];
        struct content content = look_into(segments, last, true);
        if (content.has_block && content.last.position >= last->first &&
            is_where_it_was_written(&content, last)) {
            if (content.is_read && content.end != last->size)
                segments_cut(segments, last, content.end);
            recovered->spill = content.last.spill;
            segments->end = block_head_end(&content.last);
            return true;
        }
        discard(segments, last, content.is_read);
    }
    return false;
}

static bool is_ours(struct segments *segments, const struct segment *segment, uint64_t spill)
{
    struct content content = look_into(segments, segment, false);
    return !content.is_readable || !content.has_head ||
           (is_where_it_was_written(&content, segment) && content.first.spill == spill);
}

/* Puts the listed ones that are not done with into the table. */
static int fill(struct segments *segments, const struct listed *listed, bool has_cursor,
                struct recovered *recovered, struct error *error)
{
    if (segments_reserve(segments, listed->count, error) != 0)
        return -1;
    for (size_t i = 0; i < listed->count; i++) {
        const struct segment *one = &listed->segments[i];
        if (i + 1 < listed->count && !is_ours(segments, one, recovered->spill))
            segments_set_aside(segments, one->first);
        else
            segments_push(segments, one->first, one->size)->sealed = true;
    }
    if (!has_cursor && segments->count != 0)
        recovered->position = segments_at(segments, segments->removed)->first;
    if (segments->end < recovered->position)
        segments->end = recovered->position;
    while (segments->count != 0 &&
           segments_end_of(segments, segments->removed) <= recovered->position &&
           segments_remove_first(segments))
        ;
    return 0;
}

int recovery_run(struct segments *segments, const struct cursor_place *place,
                 struct recovered *recovered, struct error *error)
{
    struct listed listed = {0};
    *recovered = (struct recovered){0};
    int result = list(segments, &listed, error);
    if (result == 0) {
        bool found = find_end(segments, &listed, recovered);
        /* Of a cursor that is another spill's nothing is known; alone, it says where to go on. */
        bool has_cursor = place != NULL && place->position < BLOCK_POSITION_END &&
                          (!found || place->spill == recovered->spill);
        if (has_cursor)
            *recovered = (struct recovered){place->spill, place->position, place->read};
        result = fill(segments, &listed, has_cursor, recovered, error);
        /* The next blocks are new, whatever the cursor says of their positions. */
        if (!has_cursor || recovered->read > segments->end)
            recovered->read = segments->end;
    }
    free(listed.segments);
    return result;
}
