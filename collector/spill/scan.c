#include "collector/spill/scan.h"

#include "collector/platform/machine.h"

static enum data_file_result open_scanned(struct segments *segments, const char *name,
                                          struct data_file *file)
{
    enum data_file_result result = DATA_FILE_FAILED;
    for (unsigned i = 0; i < SEGMENT_ATTEMPTS && result == DATA_FILE_FAILED; i++)
        result = data_file_open(segments_path(segments, name), file, NULL);
    return result;
}

/* Returns false if all reads fail. *got is below `size` at the end of the file. */
static bool read_scanned(struct data_file file, uint64_t offset, void *bytes, size_t size,
                         size_t *got)
{
    for (unsigned i = 0; i < SEGMENT_ATTEMPTS; i++)
        if (data_file_read(file, offset, bytes, size, got, NULL))
            return true;
    return false;
}

/*
 * Finds the next block, like segment_next. Skips a part of the file that cannot be read, and clears
 * *is_read then. Returns false at the end of the file.
 */
static bool next_scanned(struct segment_walk *walk, struct block_head *head, bool *is_read)
{
    uint8_t window[SEGMENT_WINDOW_MIN];
    unsigned failures = 0;
    enum segment_found found;
    while ((found = segment_next(walk, window, sizeof window, head, NULL)) == SEGMENT_FAILED) {
        if (++failures < SEGMENT_ATTEMPTS)
            continue;
        failures = 0;
        *is_read = false;
        walk->offset += sizeof window;
    }
    return found == SEGMENT_BLOCK;
}

/* Returns the head at this offset if the end of the file cuts its block, else an empty head. */
static struct block_head torn_at(const struct segment_walk *walk, uint64_t offset, uint64_t size)
{
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct block_head head;
    size_t got;
    if (offset + SPILL_HEAD_SIZE <= size &&
        read_scanned(walk->file, offset, bytes, sizeof bytes, &got) && got == sizeof bytes &&
        block_head_read(bytes, &head) && (walk->spill == 0 || head.spill == walk->spill) &&
        block_head_whole(&head) > size - offset)
        return head;
    return (struct block_head){0};
}

struct scan scan_segment(struct segments *segments, const char *name, uint64_t size, uint64_t spill,
                         bool whole)
{
    struct scan scan = {0};
    struct segment_walk walk = {.size = size, .spill = spill};
    struct block_head head;
    if (open_scanned(segments, name, &walk.file) != DATA_FILE_DONE)
        return scan;
    scan.is_readable = scan.is_read = true;
    while (next_scanned(&walk, &head, &scan.is_read)) {
        scan.has_head |= walk.offset == 0;
        if (!scan.has_block)
            scan.first = head;
        walk.offset += block_head_whole(&head);
        scan.has_block = true;
        scan.last = head;
        scan.end = walk.offset;
        if (!whole)
            break;
    }
    if (whole || !scan.has_block)
        scan.torn = torn_at(&walk, scan.end, size);
    data_file_close(walk.file);
    return scan;
}

static enum scan_label read_label(const struct segment_walk *walk, const struct block_head *head,
                                  char label[SPILL_LABEL_SIZE])
{
    size_t got = 0;
    label[head->label_size] = '\0';
    if (head->label_size != 0 &&
        !read_scanned(walk->file, walk->offset + SPILL_HEAD_SIZE, label, head->label_size, &got))
        return SCAN_LABEL_UNREAD;
    bool sound =
        got == head->label_size && (got == 0 || crc32c(0, label, got) == head->label_checksum);
    return sound ? SCAN_LABEL_FOUND : SCAN_LABEL_NONE;
}

enum scan_label scan_label(struct segments *segments, const char *name, uint64_t spill,
                           uint64_t position, char label[SPILL_LABEL_SIZE])
{
    struct segment_walk walk = {.spill = spill};
    struct block_head head;
    bool is_read = true;
    enum scan_label found = SCAN_LABEL_NONE;
    enum data_file_result opened = open_scanned(segments, name, &walk.file);
    if (opened != DATA_FILE_DONE)
        return opened == DATA_FILE_MISSING ? SCAN_LABEL_NONE : SCAN_LABEL_UNREAD;
    if (!data_file_size(walk.file, &walk.size, NULL))
        is_read = false;
    while (found != SCAN_LABEL_FOUND && next_scanned(&walk, &head, &is_read)) {
        if (block_head_end(&head) > position)
            found = read_label(&walk, &head, label);
        is_read &= found != SCAN_LABEL_UNREAD;
        walk.offset += block_head_whole(&head);
    }
    data_file_close(walk.file);
    return found == SCAN_LABEL_FOUND || is_read ? found : SCAN_LABEL_UNREAD;
}

uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill)
{
    struct data_file file;
    uint64_t size;
    enum data_file_result opened = open_scanned(segments, name, &file);
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
