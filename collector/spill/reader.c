#include "collector/spill/reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"

/* Warnings about missing records before their rate is limited. */
#define WARNINGS 20

int reader_init(struct reader *reader, uint64_t spill, uint64_t position, size_t window,
                struct error *error)
{
    *reader = (struct reader){.spill = spill, .position = position};
    return reader_resize(reader, window, error);
}

int reader_resize(struct reader *reader, size_t window, struct error *error)
{
    RULE(reader->count == 0, "a ring with blocks in it is not replaced");
    struct read_block *ring = calloc(window, sizeof *ring);
    if (ring == NULL)
        return error_no_memory(error);
    free(reader->ring);
    reader->ring = ring;
    reader->window = window;
    reader->start = 0;
    return 0;
}

static void close_file(struct reader *reader)
{
    if (reader->is_open)
        data_file_close(reader->walk.file);
    reader->is_open = false;
}

void reader_free(struct reader *reader)
{
    close_file(reader);
    free(reader->ring);
}

/* --- reading ---------------------------------------------------------------------------------- */

static struct read_block *read_block_at(const struct reader *reader, size_t place)
{
    return &reader->ring[(reader->start + place) % reader->window];
}

static void warn_of_gap(struct reader *reader, const struct segments *segments, uint64_t next)
{
    uint64_t left_out;
    if (next > reader->position && next > reader->warned && !segments->looks_only &&
        (reader->warnings++ < WARNINGS || log_allowed(&reader->log, &left_out)))
        log_line(LOG_WARNING,
                 "spill %s: %" PRIu64 " records are missing or damaged before position %" PRIu64
                 "; they are lost",
                 segments->folder, next - reader->position, next);
    if (next > reader->warned)
        reader->warned = next;
}

static void keep_block(struct reader *reader, const struct block_head *head)
{
    RULE(reader->count < reader->window, "the ring has room for the block that is read");
    RULE(head->position >= reader->position, "blocks are read in the order of their positions");
    *read_block_at(reader, reader->count++) = (struct read_block){
        .from = reader->position, .position = head->position, .end = block_head_end(head)};
    reader->position = block_head_end(head);
    segment_pass(&reader->walk, head);
}

static void go_to_next_segment(struct reader *reader)
{
    close_file(reader);
    reader->number++;
}

/*
 * Called when all segments were read: counts the records that are missing at the end as lost. Does
 * not count them before all blocks are acknowledged, so that records become complete in their
 * order.
 */
static enum spill_found at_end(struct reader *reader, const struct segments *segments)
{
    if (reader->count == 0) {
        warn_of_gap(reader, segments, segments->end);
        reader->lost += segments->end - reader->position;
        reader->position = segments->end;
    }
    return SPILL_FOUND_NONE;
}

static enum data_file_result open_segment(struct reader *reader, struct segments *segments,
                                          struct segment *segment, struct error *error)
{
    struct data_file file;
    enum data_file_result result =
        data_file_open(segments_path(segments, segment->name), &file, error);
    if (result == DATA_FILE_DONE) {
        reader->walk = (struct segment_walk){.file = file, .spill = reader->spill, .waits = true};
        reader->is_open = true;
    } else if (result == DATA_FILE_MISSING) {
        log_line(LOG_WARNING, "spill segment %s is missing; its records are lost",
                 segments_path(segments, segment->name));
        segment->sealed = true;
    }
    return result;
}

static bool is_block_wanted(const struct reader *reader, struct segment *segment,
                            uint64_t segment_end, const struct block_head *head)
{
    if (block_head_end(head) <= reader->position)
        return false;
    if (head->position >= reader->position && head->position >= segment->first &&
        block_head_end(head) <= segment_end)
        return true;
    segment->damaged = true;
    return false;
}

/* Returns SPILL_FOUND_NONE if no more blocks of the open segment must be read. */
static enum spill_found next_of_segment(struct reader *reader, const struct segments *segments,
                                        struct segment *segment, uint64_t segment_end, void *bytes,
                                        size_t size, struct block_head *head, struct error *error)
{
    uint8_t window[SEGMENT_WINDOW_MIN];
    char label[SPILL_LABEL_SIZE];
    for (;;) {
        reader->walk.size = segment->size;
        enum segment_found found = segment_next(&reader->walk, window, sizeof window, head, error);
        if (found == SEGMENT_FAILED)
            return SPILL_FOUND_FAILED;
        segment->damaged |= reader->walk.unread;
        if (found == SEGMENT_END) {
            if (reader->walk.skipped && reader->position < segment_end)
                segment->damaged = true;
            return SPILL_FOUND_NONE;
        }
        segment->damaged |= reader->walk.skipped;
        if (!is_block_wanted(reader, segment, segment_end, head)) {
            segment_pass(&reader->walk, head);
            continue;
        }
        enum segment_part part = segment_read_block(&reader->walk, head, label, bytes, size, error);
        if (part == SEGMENT_PART_FAILED)
            return SPILL_FOUND_FAILED;
        if (part == SEGMENT_PART_SOUND) {
            warn_of_gap(reader, segments, head->position);
            keep_block(reader, head);
            return head->size > size ? SPILL_FOUND_TOO_LARGE : SPILL_FOUND;
        }
        segment->damaged = true;
        segment_pass(&reader->walk, head);
    }
}

enum spill_found reader_next(struct reader *reader, struct segments *segments, void *bytes,
                             size_t size, struct block_head *head, struct error *error)
{
    if (reader->count == reader->window)
        return SPILL_FOUND_NONE;
    if (reader->number < segments->removed)
        reader->number = segments->removed;
    while (reader->number < segments->removed + segments->count) {
        struct segment *segment = segments_at(segments, reader->number);
        uint64_t end = segments_end_of(segments, reader->number);
        if (!reader->is_open) {
            enum data_file_result opened = open_segment(reader, segments, segment, error);
            if (opened == DATA_FILE_FAILED)
                return SPILL_FOUND_FAILED;
            if (opened == DATA_FILE_MISSING) {
                go_to_next_segment(reader);
                continue;
            }
        }
        enum spill_found found =
            next_of_segment(reader, segments, segment, end, bytes, size, head, error);
        if (found != SPILL_FOUND_NONE)
            return found;
        if (segment == segments_last(segments) && !segment->sealed)
            break;
        go_to_next_segment(reader);
    }
    return at_end(reader, segments);
}

size_t reader_room(const struct reader *reader)
{
    return reader->window - reader->count;
}

/*
 * Adds the block to the ring without reading it. If its segment is read later, the reader skips
 * this block, because it is below the reader's position.
 */
void reader_pass(struct reader *reader, uint64_t end)
{
    RULE(reader->count < reader->window, "the ring has room for the block that is passed");
    RULE(end > reader->position, "a block that is passed has records");
    *read_block_at(reader, reader->count++) =
        (struct read_block){.from = reader->position, .position = reader->position, .end = end};
    reader->position = end;
}

struct read_block *reader_find(const struct reader *reader, uint64_t position)
{
    size_t place = 0;
    while (place < reader->count && read_block_at(reader, place)->position != position)
        place++;
    RULE(place < reader->count, "the block was read, and an older block or it is unacknowledged");
    return read_block_at(reader, place);
}

/* --- acknowledging ---------------------------------------------------------------------------- */

void reader_acknowledge(struct reader *reader, uint64_t position)
{
    struct read_block *block = reader_find(reader, position);
    RULE(!block->acknowledged, "a block is acknowledged once");
    block->acknowledged = true;
    while (reader->count != 0 && read_block_at(reader, 0)->acknowledged) {
        const struct read_block *oldest = read_block_at(reader, 0);
        reader->acknowledged += oldest->end - oldest->position;
        reader->lost += oldest->position - oldest->from;
        reader->start = (reader->start + 1) % reader->window;
        reader->count--;
    }
    RULE(reader_completed(reader) <= reader->position, "only blocks that were read are complete");
}

uint64_t reader_acknowledged_end(const struct reader *reader)
{
    uint64_t end = 0;
    for (size_t i = 0; i < reader->count; i++)
        if (read_block_at(reader, i)->acknowledged)
            end = read_block_at(reader, i)->end;
    return end;
}

void reader_rewind(struct reader *reader, const struct segments *segments)
{
    for (; reader->count != 0 && read_block_at(reader, 0)->evicted; reader->count--) {
        reader->evicted += read_block_at(reader, 0)->end - read_block_at(reader, 0)->from;
        reader->start = (reader->start + 1) % reader->window;
    }
    if (reader->count != 0)
        reader->position = read_block_at(reader, 0)->from;
    reader->count = 0;
    close_file(reader);
    reader->number = segments->removed;
}

uint64_t reader_missing(const struct reader *reader, uint64_t first, uint64_t end)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < reader->count; i++) {
        const struct read_block *block = read_block_at(reader, i);
        uint64_t from = block->from > first ? block->from : first;
        uint64_t to = block->position < end ? block->position : end;
        missing += to > from ? to - from : 0;
    }
    return missing;
}

uint64_t reader_completed(const struct reader *reader)
{
    return reader->count == 0 ? reader->position : read_block_at(reader, 0)->from;
}

void reader_leave(struct reader *reader, uint64_t number)
{
    if (reader->number == number)
        close_file(reader);
}

uint64_t reader_evict(struct reader *reader, uint64_t end)
{
    uint64_t evicted = 0;
    for (size_t i = 0; i < reader->count; i++) {
        struct read_block *block = read_block_at(reader, i);
        block->evicted |= block->end <= end;
        if (block->evicted || block->from >= end)
            continue;
        evicted += end - block->from; /* records that are missing at the end of the segment */
        block->from = end;
    }
    if (reader->position < end) {
        evicted += end - reader->position;
        reader->position = end;
    }
    reader->evicted += evicted;
    return evicted;
}
