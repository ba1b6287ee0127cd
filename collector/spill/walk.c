#include "collector/spill/walk.h"

#include <stdlib.h>

#include "collector/spill/cursor.h"
#include "collector/spill/recovery.h"

struct walking {
    struct spill_walk *walk;
    struct segments segments;
    struct kept kept;
    uint64_t spill;
    uint64_t position; /* blocks below it were visited, or are complete */
    uint8_t *image;
    size_t room;
    char label[SPILL_LABEL_SIZE];
};

/* Returns 1 if the block is undamaged, 0 if it is damaged, and -1 if memory is short. */
static int read_block(struct walking *walking, struct segment_walk *walk,
                      const struct block_head *head, struct error *error)
{
    if (head->size > walking->room) {
        uint8_t *larger = realloc(walking->image, head->size);
        if (larger == NULL)
            return error_no_memory(error);
        walking->image = larger;
        walking->room = head->size;
    }
    return segment_read_block(walk, head, walking->label, walking->image, walking->room, NULL) ==
           SEGMENT_PART_SOUND;
}

static bool visit(struct walking *walking, const struct block_head *head, struct error *error)
{
    const struct walked_block block = {
        .label = walking->label,
        .image = walking->image,
        .size = head->size,
        .count = head->count,
        .layout = head->layout,
        .position = head->position,
        .number = head->number,
    };
    walking->walk->missing += head->position - walking->position;
    walking->position = block_head_end(head);
    return walking->walk->visit(walking->walk->context, &block, error);
}

/* Visits the file's blocks that begin at or after walking->position and end at or before `end`. */
static int walk_file(struct walking *walking, const char *name, uint64_t end, struct error *error)
{
    struct segment_walk walk = {.spill = walking->spill};
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    int result = 0;
    if (segment_open(segments_path(&walking->segments, name), &walk.file, NULL) != DATA_FILE_DONE)
        return 0; /* the caller counts the file's records as missing */
    if (!data_file_size(walk.file, &walk.size, NULL))
        walk.size = 0;
    while (result == 0 &&
           segment_next(&walk, window, sizeof window, &head, NULL) == SEGMENT_BLOCK) {
        bool wanted = head.position >= walking->position && block_head_end(&head) <= end;
        int sound = wanted ? read_block(walking, &walk, &head, error) : 0;
        if (sound < 0 || (sound > 0 && !visit(walking, &head, error)))
            result = -1;
        segment_pass(&walk, &head);
    }
    data_file_close(walk.file);
    return result;
}

static int walk_files(struct walking *walking, uint64_t position, struct error *error)
{
    struct segments *segments = &walking->segments;
    int result = 0;
    for (size_t i = 0; result == 0 && i < walking->kept.count; i++) {
        const struct kept_file *file = &walking->kept.files[i];
        walking->position = file->first;
        result = walk_file(walking, file->name, file->end, error);
        if (result == 0)
            walking->walk->missing += file->end - walking->position;
    }
    walking->position = position;
    for (uint64_t i = 0; result == 0 && i < segments->count; i++)
        result = walk_file(walking, segments_at(segments, segments->removed + i)->name,
                           segments_end_of(segments, segments->removed + i), error);
    if (result == 0 && segments->end > walking->position)
        walking->walk->missing += segments->end - walking->position;
    return result;
}

int spill_walk(const char *folder, struct spill_walk *walk, struct error *error)
{
    struct walking walking = {.walk = walk};
    struct recovered recovered;
    struct cursor cursor;
    struct cursor_state state;
    int result = segments_init(&walking.segments, folder, error);
    walking.segments.looks_only = true;
    if (result == 0) {
        bool found = cursor_open(&cursor, segments_path(&walking.segments, "ack"), &state);
        cursor_close(&cursor);
        result = recovery_run(&walking.segments, &walking.kept, found ? &state : NULL, NULL,
                              &recovered, error);
    }
    if (result != 0 && error->code == EXIT_CODE_CANNOT_CREATE)
        error->code = EXIT_CODE_BAD_INPUT;
    if (result == 0) {
        walk->missing = recovered.lost;
        walk->strange = recovered.strange;
        walking.spill = recovered.spill;
        result = walk_files(&walking, recovered.position, error);
    }
    free(walking.image);
    kept_free(&walking.kept);
    segments_free(&walking.segments);
    return result;
}
