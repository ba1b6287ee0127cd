#include "collector/spill/scan.h"

/* Returns the head at this offset if the end of the file cuts its block, else an empty head. */
static struct block_head torn_at(struct segment_walk *walk, uint64_t offset, uint64_t size)
{
    struct block_head head;
    if (offset + SPILL_HEAD_SIZE <= size && segment_read_head(walk, offset, &head) &&
        block_head_whole(&head) > size - offset)
        return head;
    return (struct block_head){0};
}

struct scan scan_segment(struct segments *segments, const char *name, uint64_t size, uint64_t spill,
                         bool whole)
{
    struct scan scan = {0};
    struct segment_walk walk = {.size = size, .spill = spill};
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    if (segment_open(segments_path(segments, name), &walk.file, NULL) != DATA_FILE_DONE)
        return scan;
    scan.is_readable = true;
    while (segment_next(&walk, window, sizeof window, &head, NULL) == SEGMENT_BLOCK) {
        scan.has_head |= walk.offset == 0;
        if (!scan.has_block)
            scan.first = head;
        segment_pass(&walk, &head);
        scan.has_block = true;
        scan.last = head;
        scan.end = walk.offset;
        if (!whole)
            break;
    }
    if (whole || !scan.has_block)
        scan.torn = torn_at(&walk, scan.end, size);
    scan.is_read = !walk.unread;
    data_file_close(walk.file);
    return scan;
}

static enum scan_label read_label(struct segment_walk *walk, const struct block_head *head,
                                  char label[SPILL_LABEL_SIZE])
{
    switch (segment_read_label(walk, head, label, NULL)) {
    case SEGMENT_PART_SOUND:
        return SCAN_LABEL_FOUND;
    case SEGMENT_PART_DAMAGED:
        return SCAN_LABEL_NONE;
    default:
        return SCAN_LABEL_UNREAD;
    }
}

enum scan_label scan_label(struct segments *segments, const char *name, uint64_t spill,
                           uint64_t position, char label[SPILL_LABEL_SIZE])
{
    struct segment_walk walk = {.spill = spill};
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    bool is_read = true;
    enum scan_label found = SCAN_LABEL_NONE;
    enum data_file_result opened = segment_open(segments_path(segments, name), &walk.file, NULL);
    if (opened != DATA_FILE_DONE)
        return opened == DATA_FILE_MISSING ? SCAN_LABEL_NONE : SCAN_LABEL_UNREAD;
    if (!data_file_size(walk.file, &walk.size, NULL))
        is_read = false;
    while (found != SCAN_LABEL_FOUND &&
           segment_next(&walk, window, sizeof window, &head, NULL) == SEGMENT_BLOCK) {
        if (block_head_end(&head) > position)
            found = read_label(&walk, &head, label);
        is_read &= found != SCAN_LABEL_UNREAD;
        segment_pass(&walk, &head);
    }
    data_file_close(walk.file);
    is_read &= !walk.unread;
    return found == SCAN_LABEL_FOUND || is_read ? found : SCAN_LABEL_UNREAD;
}

uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill)
{
    struct data_file file;
    uint64_t size;
    enum data_file_result opened = segment_open(segments_path(segments, name), &file, NULL);
    if (opened != DATA_FILE_DONE)
        return opened == DATA_FILE_MISSING ? 0 : UINT64_MAX;
    bool has_size = data_file_size(file, &size, NULL);
    data_file_close(file);
    if (!has_size)
        return UINT64_MAX;
    const struct scan scan = scan_segment(segments, name, size, spill, true);
    if (!scan.is_read)
        return UINT64_MAX;
    return scan.has_block ? block_head_end(&scan.last) : 0;
}
