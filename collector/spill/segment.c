#include "collector/spill/segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/machine.h"
#include "collector/text/digit.h"

void segment_name(uint64_t first, const char *ending, char name[SEGMENT_NAME_SIZE])
{
    snprintf(name, SEGMENT_NAME_SIZE, "%020" PRIu64 "%s", first, ending);
}

enum segment_named segment_is_named(const char *name, const char *ending, uint64_t *first)
{
    *first = 0;
    for (size_t i = 0; i < SEGMENT_DIGITS; i++) {
        if (!is_digit(name[i]) || *first >= BLOCK_POSITION_END / 10)
            return SEGMENT_NAME_OTHER;
        *first = *first * 10 + (uint64_t)(name[i] - '0');
    }
    size_t length = strlen(ending);
    if (strncmp(name + SEGMENT_DIGITS, ending, length) != 0)
        return SEGMENT_NAME_OTHER;
    return name[SEGMENT_DIGITS + length] == '\0' ? SEGMENT_NAME_IS : SEGMENT_NAME_BEGINS;
}

bool segment_has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name);
    return length < SEGMENT_NAME_SIZE && length > strlen(ending) &&
           strcmp(name + length - strlen(ending), ending) == 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * Reads a part of a segment; every read goes through this function. `waits` is as in struct
 * segment_walk.
 */
static enum segment_part read_part(struct data_file file, uint64_t offset, void *bytes, size_t size,
                                   size_t *got, unsigned *failures, bool waits, struct error *error)
{
    while (!data_file_read(file, offset, bytes, size, got, error)) {
        if (++*failures >= SEGMENT_ATTEMPTS) {
            *failures = 0;
            return SEGMENT_PART_UNREADABLE;
        }
        if (waits)
            return SEGMENT_PART_FAILED;
    }
    *failures = 0;
    return SEGMENT_PART_SOUND;
}

static bool is_whole_block(const struct segment_walk *walk, const uint8_t *bytes,
                           struct block_head *head)
{
    return block_head_read(bytes, head) && (walk->spill == 0 || head->spill == walk->spill) &&
           block_head_whole(head) <= walk->size - walk->offset;
}

enum segment_found segment_next(struct segment_walk *walk, uint8_t *window, size_t window_size,
                                struct block_head *head, struct error *error)
{
    RULE(window_size >= SEGMENT_WINDOW_MIN, "a head fits the window");
    size_t wanted = SPILL_HEAD_SIZE; /* usually there is a head */
    bool waits = walk->waits;
    while (walk->offset + SPILL_HEAD_SIZE <= walk->size) {
        uint64_t left = walk->size - walk->offset;
        size_t got;
        enum segment_part part =
            read_part(walk->file, walk->offset, window, left < wanted ? (size_t)left : wanted, &got,
                      &walk->failures.head, waits, error);
        if (part == SEGMENT_PART_FAILED)
            return SEGMENT_FAILED;
        waits = walk->waits && part == SEGMENT_PART_SOUND;
        if (part == SEGMENT_PART_UNREADABLE) {
            walk->offset += window_size;
            walk->skipped = walk->unread = true;
            continue;
        }
        if (got < SPILL_HEAD_SIZE)
            break; /* another program has cut the file */
        for (size_t at = 0; at + SPILL_HEAD_SIZE <= got;) {
            if (is_whole_block(walk, window + at, head))
                return SEGMENT_BLOCK;
            size_t passed = 1 + block_head_skip(window + at + 1, got - at - 1);
            at += passed;
            walk->offset += passed;
            walk->skipped = true;
        }
        wanted = window_size;
    }
    if (walk->offset < walk->size)
        walk->skipped = true;
    walk->offset = walk->size;
    return SEGMENT_END;
}

void segment_pass(struct segment_walk *walk, const struct block_head *head)
{
    walk->offset += block_head_whole(head);
    walk->failures.label = walk->failures.image = 0; /* the next failures are those of another
                                                      * block */
}

static enum segment_part read_sound(struct segment_walk *walk, uint64_t offset, void *bytes,
                                    size_t size, uint32_t checksum, unsigned *failures,
                                    struct error *error)
{
    size_t got;
    enum segment_part part =
        read_part(walk->file, offset, bytes, size, &got, failures, walk->waits, error);
    if (part == SEGMENT_PART_SOUND && (got != size || crc32c(0, bytes, got) != checksum))
        return SEGMENT_PART_DAMAGED;
    return part;
}

enum segment_part segment_read_label(struct segment_walk *walk, const struct block_head *head,
                                     char label[SPILL_LABEL_SIZE], struct error *error)
{
    label[head->label_size] = '\0';
    if (head->label_size == 0)
        return SEGMENT_PART_SOUND;
    return read_sound(walk, walk->offset + SPILL_HEAD_SIZE, label, head->label_size,
                      head->label_checksum, &walk->failures.label, error);
}

enum segment_part segment_read_block(struct segment_walk *walk, const struct block_head *head,
                                     char label[SPILL_LABEL_SIZE], void *image, size_t room,
                                     struct error *error)
{
    enum segment_part part = segment_read_label(walk, head, label, error);
    if (part != SEGMENT_PART_SOUND || head->size > room)
        return part;
    return read_sound(walk, walk->offset + block_head_image(head), image, head->size,
                      head->checksum, &walk->failures.image, error);
}

bool segment_read_head(struct segment_walk *walk, uint64_t offset, struct block_head *head)
{
    uint8_t bytes[SPILL_HEAD_SIZE];
    size_t got;
    return read_part(walk->file, offset, bytes, sizeof bytes, &got, &walk->failures.head,
                     walk->waits, NULL) == SEGMENT_PART_SOUND &&
           got == sizeof bytes && block_head_read(bytes, head) &&
           (walk->spill == 0 || head->spill == walk->spill);
}

enum data_file_result segment_open(const char *path, struct data_file *file, struct error *error)
{
    enum data_file_result result = DATA_FILE_FAILED;
    for (unsigned i = 0; i < SEGMENT_ATTEMPTS && result == DATA_FILE_FAILED; i++)
        result = data_file_open(path, file, error);
    return result;
}
