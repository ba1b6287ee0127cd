#include "collector/spill/segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
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
    while (walk->offset + SPILL_HEAD_SIZE <= walk->size) {
        uint64_t left = walk->size - walk->offset;
        size_t got;
        if (!data_file_read(walk->file, walk->offset, window, left < wanted ? (size_t)left : wanted,
                            &got, error))
            return SEGMENT_FAILED;
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
