#include "collector/spill/scan.h"

#include "collector/platform/machine.h"

/* Attempts to open or read a file before it is skipped. */
#define ATTEMPTS 3

static bool open_scanned(struct segments *segments, const char *name, struct data_file *file)
{
    for (unsigned i = 0; i < ATTEMPTS; i++)
        if (data_file_open(segments_path(segments, name), file, NULL) == DATA_FILE_DONE)
            return true;
    return false;
}

static bool read_scanned(struct data_file file, uint64_t offset, void *bytes, size_t size)
{
    size_t got;
    for (unsigned i = 0; i < ATTEMPTS; i++)
        if (data_file_read(file, offset, bytes, size, &got, NULL))
            return got == size;
    return false;
}

/* Returns the head at this offset if the end of the file cuts its block, else an empty head. */
static struct block_head torn_at(const struct segment_walk *walk, uint64_t offset, uint64_t size)
{
    uint8_t bytes[SPILL_HEAD_SIZE];
    struct block_head head;
    if (offset + SPILL_HEAD_SIZE <= size && read_scanned(walk->file, offset, bytes, sizeof bytes) &&
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
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    if (!open_scanned(segments, name, &walk.file))
        return scan;
    scan.is_readable = scan.is_read = true;
    enum segment_found found;
    unsigned failures = 0;
    while ((found = segment_next(&walk, window, sizeof window, &head, NULL)) != SEGMENT_END) {
        if (found == SEGMENT_FAILED) {
            if (++failures < ATTEMPTS)
                continue;
            failures = 0;
            scan.is_read = false;
            walk.offset += sizeof window;
            continue;
        }
        failures = 0;
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

static bool read_label(const struct segment_walk *walk, const struct block_head *head,
                       char label[SPILL_LABEL_SIZE])
{
    label[head->label_size] = '\0';
    return head->label_size == 0 ||
           (read_scanned(walk->file, walk->offset + SPILL_HEAD_SIZE, label, head->label_size) &&
            crc32c(0, label, head->label_size) == head->label_checksum);
}

bool scan_label(struct segments *segments, const char *name, uint64_t spill, uint64_t position,
                char label[SPILL_LABEL_SIZE])
{
    struct segment_walk walk = {.spill = spill};
    uint8_t window[SEGMENT_WINDOW_MIN];
    struct block_head head;
    bool found = false;
    if (!open_scanned(segments, name, &walk.file))
        return false;
    if (data_file_size(walk.file, &walk.size, NULL))
        while (!found && segment_next(&walk, window, sizeof window, &head, NULL) == SEGMENT_BLOCK) {
            found = block_head_end(&head) > position && read_label(&walk, &head, label);
            walk.offset += block_head_whole(&head);
        }
    data_file_close(walk.file);
    return found;
}

uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill)
{
    struct data_file file;
    uint64_t size = 0;
    if (!open_scanned(segments, name, &file))
        return 0;
    if (!data_file_size(file, &size, NULL))
        size = 0;
    data_file_close(file);
    const struct scan scan = scan_segment(segments, name, size, spill, true);
    return scan.has_block ? block_head_end(&scan.last) : 0;
}
