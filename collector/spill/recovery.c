#include "collector/spill/recovery.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/file_system.h"
#include "collector/spill/scan.h"

struct candidate {
    char name[SEGMENT_NAME_SIZE];
    uint64_t size;
    bool is_kept;
    bool is_named; /* the name is a number with the ending ".seg" */
    uint64_t number;
    uint64_t first; /* the position of its first record, as far as known */
    uint64_t end;   /* for a kept segment: the end in its name */
    struct scan scan;
};

struct listed {
    struct candidate *files;
    size_t count;
    size_t capacity;
};

static bool add_candidate(struct listed *listed, const struct candidate *one)
{
    if (listed->count == listed->capacity) {
        size_t capacity = listed->capacity == 0 ? 64 : 2 * listed->capacity;
        struct candidate *larger = realloc(listed->files, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        listed->files = larger;
        listed->capacity = capacity;
    }
    listed->files[listed->count++] = *one;
    return true;
}

static void warn(const struct segments *segments, const char *name, const char *what)
{
    if (!segments->looks_only)
        log_line(LOG_WARNING, "spill %s: %s %s; it is left as it is", segments->folder, name, what);
}

/* --- the files -------------------------------------------------------------------------------- */

static bool note_file(struct segments *segments, const struct folder_entry *entry,
                      struct listed *listed)
{
    struct candidate one = {.size = entry->size};
    struct kept_file kept;
    uint64_t number;
    if (segment_is_named(entry->name, SEGMENT_BAD_ENDING, &number) == SEGMENT_NAME_IS) {
        if (entry->is_file)
            segments_note_bad(segments, number);
        return true;
    }
    one.is_kept = kept_is_named(entry->name, &kept);
    if (!one.is_kept && !segment_has_ending(entry->name, SEGMENT_ENDING))
        return true;
    if (!entry->is_file) {
        warn(segments, entry->name, "is not a regular file");
        return true;
    }
    snprintf(one.name, sizeof one.name, "%s", entry->name);
    one.is_named = segment_is_named(entry->name, SEGMENT_ENDING, &one.number) == SEGMENT_NAME_IS;
    if (one.is_kept) {
        one.first = kept.first;
        one.end = kept.end;
    }
    return add_candidate(listed, &one);
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
    while (done && folder_next(folder, &entry))
        done = note_file(segments, &entry, listed);
    folder_close(folder);
    return done ? 0 : error_no_memory(error);
}

/*
 * Returns the random number of the cursor's spill if a file has blocks of that spill, otherwise
 * that of the spill with the most bytes.
 */
static uint64_t find_spill(const struct listed *listed, const struct cursor_state *state)
{
    uint64_t found = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < listed->count; i++) {
        uint64_t spill = listed->files[i].scan.first.spill;
        uint64_t bytes = 0;
        if (!listed->files[i].scan.has_block)
            continue;
        if (state != NULL && spill == state->spill)
            return spill;
        for (size_t k = 0; k < listed->count; k++)
            if (listed->files[k].scan.has_block && listed->files[k].scan.first.spill == spill)
                bytes += listed->files[k].size;
        if (bytes > most) {
            most = bytes;
            found = spill;
        }
    }
    return found;
}

/* --- choosing the files that count ------------------------------------------------------------ */

/*
 * Removes or sets aside a segment without a whole block. An unreadable segment may have blocks, so
 * it is set aside.
 */
static void discard(struct segments *segments, const struct candidate *one,
                    struct recovered *recovered)
{
    const struct scan *scan = &one->scan;
    bool is_torn = one->size < SPILL_HEAD_SIZE || scan->torn.count != 0;
    if (!one->is_named) {
        recovered->strange++;
        warn(segments, one->name,
             scan->is_readable ? "holds no blocks of this spill" : "cannot be read");
    } else if (scan->is_read && is_torn) {
        segments_discard(segments, one->name);
    } else {
        segments_set_aside(segments, one->name, one->number);
    }
}

/*
 * Called for a block that the end of its file cuts. Moves segments->end past it, so that its
 * records count as lost. Does nothing if the cursor's end is the block's begin: then its append had
 * failed.
 */
static void note_torn(struct segments *segments, const struct block_head *torn, uint64_t spill,
                      const struct cursor_state *state)
{
    bool was_stored = state == NULL || state->end != torn->position;
    if (torn->count != 0 && torn->spill == spill && was_stored &&
        block_head_end(torn) > segments->end)
        segments->end = block_head_end(torn);
}

/* Reduces the list to this spill's segments, and moves the kept ones to their table. */
static bool choose_segments(struct segments *segments, struct kept *kept, struct listed *listed,
                            const struct cursor_state *state, struct recovered *recovered)
{
    size_t count = 0;
    for (size_t i = 0; i < listed->count; i++) {
        struct candidate *one = &listed->files[i];
        if (!one->scan.has_block) {
            note_torn(segments, &one->scan.torn, recovered->spill, state);
            discard(segments, one, recovered);
        } else if (one->scan.first.spill != recovered->spill) {
            recovered->strange++;
            warn(segments, one->name, "holds blocks of another spill");
        } else if (one->is_kept) {
            struct kept_file file = {.first = one->first, .end = one->end, .size = one->size};
            memcpy(file.name, one->name, sizeof file.name);
            if (!kept_add(kept, &file))
                return false;
        } else {
            one->first = one->scan.first.position;
            listed->files[count++] = *one;
        }
    }
    listed->count = count;
    return true;
}

static int by_position(const void *a, const void *b)
{
    const struct candidate *one = a;
    const struct candidate *other = b;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return strcmp(one->name, other->name);
}

/*
 * Sorts the files. If several files begin with the same block, uses the longest. If a file's first
 * block is damaged, uses the position in its name, provided that it is above the preceding file's.
 */
static void put_in_order(struct segments *segments, struct listed *listed)
{
    size_t count = 0;
    if (listed->count != 0)
        qsort(listed->files, listed->count, sizeof *listed->files, by_position);
    for (size_t i = 0; i < listed->count; i++) {
        struct candidate *one = &listed->files[i];
        const struct candidate *before = count == 0 ? NULL : &listed->files[count - 1];
        if (before != NULL && one->scan.first.position == before->scan.first.position) {
            warn(segments, one->name, "holds the same blocks as another segment");
            continue;
        }
        if (!one->scan.has_head && one->is_named && one->number < one->first &&
            (before == NULL || one->number > before->first))
            one->first = one->number;
        listed->files[count++] = *one;
    }
    listed->count = count;
}

/* --- the ends of the files -------------------------------------------------------------------- */

static void find_end(struct segments *segments, const struct listed *listed, uint64_t spill,
                     const struct cursor_state *state)
{
    if (listed->count == 0)
        return;
    struct candidate *last = &listed->files[listed->count - 1];
    last->scan = scan_segment(segments, last->name, last->size, spill, true);
    if (!last->scan.has_block)
        return; /* the file can no longer be read */
    if (block_head_end(&last->scan.last) > segments->end)
        segments->end = block_head_end(&last->scan.last);
    note_torn(segments, &last->scan.torn, spill, state);
}

static void cut_end(struct segments *segments, const struct listed *listed)
{
    struct segment *segment = segments_last(segments);
    if (segment == NULL || listed->count == 0)
        return;
    const struct scan *scan = &listed->files[listed->count - 1].scan;
    if (scan->has_block && scan->is_read && scan->end != segment->size)
        segments_cut(segments, segment, scan->end);
}

/*
 * Moves the positions past the kept segments: the cursor of a killed run may lack the newest ones.
 */
static void pass_kept(struct segments *segments, const struct kept *kept,
                      struct recovered *recovered, bool has_cursor)
{
    for (size_t i = 0; i < kept->count; i++) {
        const struct kept_file *file = &kept->files[i];
        if (file->end > segments->end)
            segments->end = file->end;
        if (has_cursor && file->first >= recovered->position)
            recovered->position = file->end;
    }
}

static void count_missing_kept(struct segments *segments, const struct kept *kept,
                               const struct cursor_state *state, struct recovered *recovered)
{
    uint64_t there = kept_records(kept, true) + kept_records(kept, false);
    if (state->kept <= there || state->kept >= BLOCK_POSITION_END)
        return;
    recovered->lost += state->kept - there;
    if (!segments->looks_only)
        log_line(LOG_WARNING,
                 "spill %s: files of kept segments are missing; their %" PRIu64 " records are lost",
                 segments->folder, state->kept - there);
}

static int fill_table(struct segments *segments, const struct listed *listed,
                      const struct cursor_state *state, const struct kept *kept,
                      struct recovered *recovered, struct error *error)
{
    if (segments_reserve(segments, listed->count, error) != 0)
        return -1;
    for (size_t i = 0; i < listed->count; i++) {
        const struct candidate *one = &listed->files[i];
        segments_push(segments, one->name, one->first, one->size)->sealed = true;
    }
    cut_end(segments, listed);
    if (state == NULL && segments->count != 0)
        recovered->position = segments_at(segments, segments->removed)->first;
    pass_kept(segments, kept, recovered, state != NULL);
    if (state != NULL && state->end < BLOCK_POSITION_END && state->end > segments->end)
        segments->end = state->end;
    if (state == NULL && segments->count == 0)
        recovered->position =
            segments->end; /* without a cursor, nothing is known of earlier records */
    if (segments->end < recovered->position)
        segments->end = recovered->position;
    while (segments->count != 0 &&
           segments_end_of(segments, segments->removed) <= recovered->position &&
           segments_remove_first(segments))
        ;
    return 0;
}

int recovery_run(struct segments *segments, struct kept *kept, const struct cursor_state *state,
                 const char *label, struct recovered *recovered, struct error *error)
{
    struct listed listed = {0};
    *recovered = (struct recovered){0};
    int result = list(segments, &listed, error);
    for (size_t i = 0; result == 0 && i < listed.count; i++)
        listed.files[i].scan =
            scan_segment(segments, listed.files[i].name, listed.files[i].size, 0, false);
    if (result == 0) {
        recovered->spill = find_spill(&listed, state);
        /*
         * Ignores the cursor of another spill. If there are no blocks, the cursor has the position
         * to continue at.
         */
        if (state != NULL && (state->position >= BLOCK_POSITION_END ||
                              (recovered->spill != 0 && state->spill != recovered->spill)))
            state = NULL;
        if (state != NULL)
            *recovered = (struct recovered){state->spill, state->position, state->read, 0, 0};
        kept->sent = state == NULL ? UINT64_MAX : state->read;
        result =
            choose_segments(segments, kept, &listed, state, recovered) ? 0 : error_no_memory(error);
    }
    if (result == 0) {
        put_in_order(segments, &listed);
        find_end(segments, &listed, recovered->spill, state);
        result = fill_table(segments, &listed, state, kept, recovered, error);
    }
    free(listed.files);
    if (result != 0)
        return -1;
    if (state != NULL)
        count_missing_kept(segments, kept, state, recovered);
    kept_match(kept, segments, recovered->spill, label);
    /*
     * Blocks that are appended from now on were not sent, even if the cursor has a higher position.
     */
    if (state == NULL || recovered->read > segments->end)
        recovered->read = segments->end;
    return kept_sort_out(kept, segments, recovered->spill, label, &recovered->position,
                         &recovered->lost, error);
}
