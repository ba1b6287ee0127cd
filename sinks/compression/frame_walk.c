#include "sinks/compression/frame_walk.h"

size_t frame_walk_read_some(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size)
{
    const struct compression_file *file = walk->file;
    if (offset >= file->size || walk->failed)
        return 0;
    if (size > file->size - offset)
        size = (size_t)(file->size - offset);
    walk->failed = file->read(file->context, offset, bytes, size) != size;
    return walk->failed ? 0 : size;
}

bool frame_walk_read(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size)
{
    return frame_walk_read_some(walk, offset, bytes, size) == size;
}

int64_t frame_walk_whole(const struct frame_format *format, struct compression *compression,
                         const struct compression_file *file)
{
    struct frame_walk walk = {.file = file};
    uint64_t last = 0;
    uint64_t whole = 0;
    uint64_t end;
    while ((end = format->end(compression, &walk, whole)) != 0) {
        last = whole;
        whole = end;
    }
    if (whole != last && !format->is_sound(compression, &walk, last, whole))
        whole = last;
    return walk.failed ? -1 : (int64_t)whole;
}
