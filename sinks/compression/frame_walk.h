/*
 * A walk over the frames of a compressed file: what is the same in every format. Private to the
 * implementations of sinks/compression/compressions.h. Allocates nothing.
 */
#ifndef SLUICE_SINKS_COMPRESSION_FRAME_WALK_H
#define SLUICE_SINKS_COMPRESSION_FRAME_WALK_H

#include <stdbool.h>

#include "sinks/compression/compressions.h"

struct frame_walk {
    const struct compression_file *file;
    bool failed; /* the file could not be read */
};

/*
 * Reads `size` bytes at `offset`. Returns false, and nothing is to be made of the bytes, where the
 * file ends before, or (then `failed` is set) cannot be read.
 */
bool frame_walk_read(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size);

/* The same of as many bytes as there are, up to `size`. Returns how many; 0: none. */
size_t frame_walk_read_some(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size);

/* What a format knows about its frames. Either function may be given a place of any bytes. */
struct frame_format {
    /* Where the frame that begins at `offset` ends; 0: there is no whole one. */
    uint64_t (*end)(struct compression *compression, struct frame_walk *walk, uint64_t offset);

    /* Whether the frame from `begin` to `end` decompresses to what its checksum says. */
    bool (*is_sound)(struct compression *compression, struct frame_walk *walk, uint64_t begin,
                     uint64_t end);
};

/* Does what compression.h says of `whole`. */
int64_t frame_walk_whole(const struct frame_format *format, struct compression *compression,
                         const struct compression_file *file);

#endif
