/* Walks over the frames of a compressed file, for all compression formats. Allocates no memory. */
#ifndef SLUICE_SINKS_COMPRESSION_FRAME_WALK_H
#define SLUICE_SINKS_COMPRESSION_FRAME_WALK_H

#include <stdbool.h>

#include "sinks/compression/compressions.h"

struct frame_walk {
    const struct compression_file *file;
    bool failed; /* the file could not be read */
};

/*
 * Reads `size` bytes at `offset`. Returns false if the file ends earlier, or if the file cannot be
 * read (then `failed` is set); the contents of `bytes` are undefined then.
 */
bool frame_walk_read(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size);

/*
 * Reads at most `size` bytes, fewer if the file ends. Returns the number of bytes read; 0 at the
 * end of the file or if the file cannot be read.
 */
size_t frame_walk_read_some(struct frame_walk *walk, uint64_t offset, void *bytes, size_t size);

/* The functions of a compression format. The bytes at their positions may be anything. */
struct frame_format {
    /*
     * Returns the end of the frame that begins at `offset`, or 0 if no complete frame begins there.
     */
    uint64_t (*end)(struct compression *compression, struct frame_walk *walk, uint64_t offset);

    /*
     * Returns true if the frame from `begin` to `end` decompresses to data that matches its
     * checksum.
     */
    bool (*is_sound)(struct compression *compression, struct frame_walk *walk, uint64_t begin,
                     uint64_t end);
};

/* Implements the operation `whole` of compression.h. */
int64_t frame_walk_whole(const struct frame_format *format, struct compression *compression,
                         const struct compression_file *file);

#endif
