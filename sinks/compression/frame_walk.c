#include "sinks/compression/frame_walk.h"

#include "collector/base/rule.h"

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

/*
 * The beginnings of the last KEPT_FRAMES frames are stored. If all these frames are damaged, the
 * file is walked again, up to the first of them.
 */
#define KEPT_FRAMES 256

/* The last frames that end before a limit. */
struct last_frames {
    uint64_t begins[KEPT_FRAMES]; /* the beginning of frame i is at i % KEPT_FRAMES */
    uint64_t count;               /* number of all frames, stored or not */
    uint64_t end;
};

static void walk_until(const struct frame_format *format, struct compression *compression,
                       struct frame_walk *walk, uint64_t limit, struct last_frames *last)
{
    uint64_t end;
    last->count = last->end = 0;
    while (last->end < limit && (end = format->end(compression, walk, last->end)) != 0) {
        RULE(end > last->end, "a frame has bytes");
        last->begins[last->count++ % KEPT_FRAMES] = last->end;
        last->end = end;
    }
}

/* Drops frames from the end until one is sound. Returns false if all stored frames are damaged. */
static bool drop_damaged(const struct frame_format *format, struct compression *compression,
                         struct frame_walk *walk, struct last_frames *last)
{
    uint64_t kept = last->count < KEPT_FRAMES ? last->count : KEPT_FRAMES;
    for (; kept != 0; kept--) {
        uint64_t begin = last->begins[--last->count % KEPT_FRAMES];
        RULE(begin < last->end, "a frame begins before it ends");
        if (format->is_sound(compression, walk, begin, last->end))
            return true;
        last->end = begin;
    }
    return false;
}

int64_t frame_walk_whole(const struct frame_format *format, struct compression *compression,
                         const struct compression_file *file)
{
    struct frame_walk walk = {.file = file};
    struct last_frames last = {.end = file->size};
    do
        walk_until(format, compression, &walk, last.end, &last);
    while (last.count != 0 && !drop_damaged(format, compression, &walk, &last) && !walk.failed);
    return walk.failed ? -1 : (int64_t)last.end;
}
